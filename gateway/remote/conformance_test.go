package remote

import (
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/internal/httpcall"
)

func TestIsADriver(t *testing.T) {
	for name, noDedup := range map[string]bool{"deduplicating": false, "not deduplicating": true} {
		t.Run(name, func(t *testing.T) {
			gatewaytest.Exercise(t, func(t *testing.T) gatewaytest.Subject { return subject(t, noDedup) })
		})
	}
}

func subject(t *testing.T, noDedup bool) gatewaytest.Subject {
	env := gatewaytest.NewEnvironment()
	f := newFake(t, env.Clock)
	f.noDedup = noDedup
	if noDedup {
		f.info = `{"protocol":1,"receipts":true,"read":true}`
	}
	s := f.open(env, nil)
	if failure := s.ensureInfo(t.Context()); failure != nil { // so that the suite sees the gateway's capabilities
		t.Fatal(failure)
	}
	return gatewaytest.Subject{
		Environment: env, Sender: s, Channel: gateway.SMS, From: ourNumber, To: []string{aissata, "22370000002"}, Secrets: []string{testSecret},
		Provider: gatewaytest.Provider{
			Accept: f.Script(""), Refuse: f.Script("refuse"), RefuseForNow: f.Script("later"), RefuseRecipient: f.Script("recipient"),
			RefuseLogin: f.Script("login"), DropBefore: f.StopListening, DropAfter: f.Script("drop"), HangAfter: f.HangAfter,
			ReadMarks: f.read, Received: f.received, LinkPhone: f.linkPhone,
			SendInbound: func(in gateway.Inbound) {
				f.sendEvent(Event{Type: "inbound", Inbound: &InboundEvent{
					ID: httpcall.Word("in-" + in.Text), Channel: httpcall.Word(in.Channel), Person: Person{From: httpcall.Word(in.From)}, To: httpcall.Word(in.To), Text: httpcall.Word(in.Text),
					At: httpcall.Moment(f.clock.Now().Format(time.RFC3339Nano)),
				}})
			},
		},
	}
}
