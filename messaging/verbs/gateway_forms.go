package verbs

import (
	"context"
	_ "embed" // the forms
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"example.com/griot/gateway"
)

// A GatewayKind is a kind of gateway, with the settings in its form. If the form is for a preset, the name is the
// kind, a period, and the preset.
type GatewayKind struct {
	Name     string           `json:"name" col:"KIND"`
	Channel  gateway.Channel  `json:"channel"` // empty: any channel
	Price    GatewayPrice     `json:"price"`
	Settings []GatewaySetting `json:"settings"`
}

// A GatewayPrice describes how the messages of a kind of gateway are paid for.
type GatewayPrice string

// How messages are paid for.
const (
	PricePerTemplate GatewayPrice = "template" // the provider charges template messages by category and country
	PricePerSegment  GatewayPrice = "segment"  // the provider charges each segment by country
	PricePlan        GatewayPrice = "plan"     // a plan of the provider, by the number of messages
	PriceContract    GatewayPrice = "contract" // a contract with the operator of the SMS center
	PriceSIM         GatewayPrice = "sim"      // the plan of a SIM card
	PriceNone        GatewayPrice = "none"     // no price per message
	PriceUnknown     GatewayPrice = "unknown"  // it depends on the gateway
)

// kindFacts are the channel and the price of each kind, without its preset. A preset has the price of its kind, unless it
// has its own.
var kindFacts = map[string]struct {
	channel gateway.Channel
	price   GatewayPrice
}{
	"cloudapi": {gateway.WhatsApp, PricePerTemplate},
	"smtp":     {gateway.Email, PriceNone},
	"resend":   {gateway.Email, PricePlan},
	"httpmail": {gateway.Email, PricePlan},
	"twilio":   {gateway.SMS, PricePerSegment},
	"httpsms":  {gateway.SMS, PricePerSegment},
	"smpp":     {gateway.SMS, PriceContract},
	"smsgate":  {gateway.SMS, PriceSIM},
	"remote":   {"", PriceUnknown},

	"httpsms.kannel": {gateway.SMS, PriceContract},
	"httpsms.jasmin": {gateway.SMS, PriceContract},
}

// kindOf returns a kind with its facts. Those of an unknown kind are empty and unknown.
func kindOf(name string, settings []GatewaySetting) GatewayKind {
	facts, ok := kindFacts[name]
	if base, _, _ := strings.Cut(name, "."); !ok {
		if facts, ok = kindFacts[base]; !ok {
			facts.price = PriceUnknown
		}
	}
	return GatewayKind{Name: name, Channel: facts.channel, Price: facts.price, Settings: settings}
}

// A GatewaySetting is a setting in a form.
type GatewaySetting struct {
	Name  string   `json:"name"`  // its path in the settings: "basic.password"; the first element of a list is "keys.0"
	Type  string   `json:"type"`  // number, list (of texts), off or on (a Boolean with this default), secret; empty: text
	OneOf []string `json:"oneOf"` // the possible values, default first; null: any
	Need  string   `json:"need"`  // required, main (most gateways set it); empty: few gateways set it
}

// gatewayForms contains the settings in each form, by the name of the kind. Other settings are entered as text.
//
//go:embed gateway_forms.json
var gatewayForms []byte

func (h *service) listKinds(context.Context, *Nothing) ([]GatewayKind, error) {
	forms, err := allForms()
	all := []GatewayKind{}
	for _, name := range slices.Sorted(maps.Keys(forms)) {
		all = append(all, kindOf(name, forms[name]))
	}
	return all, err
}

// allForms returns the settings in each form, by the name of the kind.
func allForms() (forms map[string][]GatewaySetting, err error) {
	err = json.Unmarshal(gatewayForms, &forms)
	return forms, err
}
