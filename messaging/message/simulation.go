package message

import (
	"slices"
	"sync"

	"example.com/griot/gateway"
	"example.com/griot/messaging/person"
)

// A Simulation is the outcome that the events of a simulated message report, and the recipient that selects it.
type Simulation struct {
	Address  string            // a phone number with a plus sign, or an email address; empty: any other recipient
	Channels []gateway.Channel // the channels on which the address selects the outcome
	Statuses []Status          // the status before the first event, and the status of each event
	Failure  *Failure          // of the last event; nil: none
}

// Outcome returns the last status of the simulation.
func (s *Simulation) Outcome() Status { return s.Statuses[len(s.Statuses)-1] }

// Code returns the failure code of the simulation, or "" if it has none.
func (s *Simulation) Code() string {
	if s.Failure == nil {
		return ""
	}
	return s.Failure.Code
}

// The paths that real messages take.
var (
	thenDelivered   = []Status{Sending, Sent, Delivered}
	thenRead        = []Status{Sending, Sent, Delivered, Read}
	thenRefused     = []Status{Sending, Failed}       // the gateway doesn't accept the message
	thenUndelivered = []Status{Sending, Sent, Failed} // the gateway has accepted the message, and a receipt reports the failure
	thenStopped     = []Status{Queued, Failed}        // the message fails while it waits
	thenExpired     = []Status{Queued, Expired}
)

var (
	onWhatsApp = []gateway.Channel{gateway.WhatsApp}
	onSMS      = []gateway.Channel{gateway.SMS}
	onPhones   = []gateway.Channel{gateway.WhatsApp, gateway.SMS}
	byEmail    = []gateway.Channel{gateway.Email}
)

// simulations lists the addresses with an outcome of their own. None can belong to a person: Ofcom keeps the numbers
// from +44 7700 900000 to 900999 free for drama, and RFC 2606 reserves the domain .example. An address must keep its
// outcome, because tests of other programs rely on it (M210).
var simulations = []Simulation{
	{"+447700900001", onPhones, thenDelivered, nil},
	{"+447700900002", onWhatsApp, thenRead, nil},
	{"+447700900010", onWhatsApp, thenRefused, &Failure{Code: "not_on_whatsapp", Class: gateway.Unreachable}},
	{"+447700900011", onPhones, thenRefused, &Failure{Code: "recipient_refused", Class: gateway.Unreachable}},
	{"+447700900012", onPhones, thenUndelivered, &Failure{Code: "recipient_unreachable", Class: gateway.Unreachable}},
	{"+447700900013", onSMS, thenUndelivered, &Failure{Code: "recipient_blocked", Class: gateway.Unreachable}},
	{"+447700900014", onPhones, thenStopped, &Failure{Code: CodeOptedOut, Class: gateway.Unreachable}},
	{"+447700900015", onWhatsApp, thenRefused, &Failure{Code: CodeMarketingStopped, Class: gateway.Unreachable}},
	{"+447700900020", onPhones, thenRefused, &Failure{Code: "message_refused", Class: gateway.Permanent}},
	{"+447700900021", onWhatsApp, thenRefused, &Failure{Code: "window_closed", Class: gateway.Permanent}},
	{"+447700900022", onWhatsApp, thenRefused, &Failure{Code: "template_refused", Class: gateway.Permanent}},
	{"+447700900023", onSMS, thenUndelivered, &Failure{Code: "message_filtered", Class: gateway.Permanent}},
	{"+447700900024", onPhones, thenUndelivered, &Failure{Code: "delivery_failed", Class: gateway.Permanent}},
	{"+447700900030", onPhones, thenRefused, &Failure{Code: "provider_unavailable", Class: gateway.Temporary}},
	{"+447700900031", onPhones, thenRefused, &Failure{Code: "rate_limited", Class: gateway.RateLimited}},
	{"+447700900032", onPhones, thenRefused, &Failure{Code: CodeOutcomeUnknown, Class: gateway.Unknown}},
	{"+447700900033", onPhones, thenExpired, &Failure{Code: CodeExpired, Class: gateway.Permanent}},

	{"delivered@simulated.example", byEmail, thenDelivered, nil},
	{"read@simulated.example", byEmail, thenRead, nil},
	{"recipient_refused@simulated.example", byEmail, thenRefused, &Failure{Code: "recipient_refused", Class: gateway.Unreachable}},
	{"recipient_opted_out@simulated.example", byEmail, thenStopped, &Failure{Code: CodeOptedOut, Class: gateway.Unreachable}},
	{"bounced@simulated.example", byEmail, thenUndelivered, &Failure{Code: "bounced", Class: gateway.Unreachable}},
	{"complained@simulated.example", byEmail, thenUndelivered, &Failure{Code: "complained", Class: gateway.Unreachable}},
	{"suppressed@simulated.example", byEmail, thenUndelivered, &Failure{Code: "suppressed", Class: gateway.Unreachable}},
	{"mailbox_full@simulated.example", byEmail, thenRefused, &Failure{Code: "mailbox_full", Class: gateway.Temporary}},
	{"message_refused@simulated.example", byEmail, thenRefused, &Failure{Code: "message_refused", Class: gateway.Permanent}},
	{"delivery_failed@simulated.example", byEmail, thenUndelivered, &Failure{Code: "delivery_failed", Class: gateway.Permanent}},
	{"provider_unavailable@simulated.example", byEmail, thenRefused, &Failure{Code: "provider_unavailable", Class: gateway.Temporary}},
	{"rate_limited@simulated.example", byEmail, thenRefused, &Failure{Code: "rate_limited", Class: gateway.RateLimited}},
	{"outcome_unknown@simulated.example", byEmail, thenRefused, &Failure{Code: CodeOutcomeUnknown, Class: gateway.Unknown}},
	{"expired@simulated.example", byEmail, thenExpired, &Failure{Code: CodeExpired, Class: gateway.Permanent}},
}

// Simulations returns the recipients that select an outcome, in the order of the documentation.
func Simulations() []Simulation { return slices.Clone(simulations) }

type simulatedRecipient struct {
	channel gateway.Channel
	form    string
}

var simulationsByRecipient = sync.OnceValue(func() map[simulatedRecipient]*Simulation {
	out := map[simulatedRecipient]*Simulation{}
	for i := range simulations {
		s := &simulations[i]
		for _, c := range s.Channels {
			out[simulatedRecipient{c, person.Form(s.Address)}] = s
		}
	}
	return out
})

// SimulationOf returns the simulation for a recipient on a channel, in any spelling of the address. A recipient that
// selects no outcome gets the message.
func SimulationOf(c gateway.Channel, to string) Simulation {
	if s := simulationsByRecipient()[simulatedRecipient{c, person.Form(to)}]; s != nil {
		return *s
	}
	return Simulation{Statuses: thenDelivered}
}
