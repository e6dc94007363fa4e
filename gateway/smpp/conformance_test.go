package smpp

import (
	"context"
	"sync"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/smpp/pdu"
	"example.com/griot/gateway/smpp/smpptest"
)

func TestConformance(t *testing.T) { //nolint:paralleltest // the suite looks for goroutines that are left behind
	gatewaytest.Exercise(t, func(t *testing.T) gatewaytest.Subject {
		c := smpptest.Start(t, smpptest.Options{})
		env := gatewaytest.NewEnvironment()
		s, err := Open(settingsFor(c.Port(), map[string]any{"connect_timeout": 2}), env.Deps())
		if err != nil {
			t.Fatal(err)
		}
		f := &scriptedCenter{t: t, c: c, s: s.(*sender)}
		status := func(code pdu.Status) func() {
			return func() { f.script(func(smpptest.Submit) smpptest.Reply { return smpptest.Reply{Status: code} }) }
		}
		return gatewaytest.Subject{
			Environment: env, Sender: s, Channel: gateway.SMS,
			From: griot, To: []string{aissata, moussa, "22370000003"},
			Secrets: []string{smpptest.SystemID, smpptest.Password},
			Ready:   f.s.connected,
			Provider: gatewaytest.Provider{
				Accept: func() { c.OnBind(nil); c.OnSubmit(nil) },
				Refuse: status(pdu.SubmitFailed), RefuseForNow: status(pdu.Throttled), RefuseRecipient: status(pdu.InvalidDestination),
				RefuseLogin: func() { f.rebind(func() smpptest.BindReply { return smpptest.BindReply{Status: pdu.InvalidPassword} }) },
				DropBefore:  func() { f.rebind(func() smpptest.BindReply { return smpptest.BindReply{Drop: true} }) },
				DropAfter:   func() { f.script(func(smpptest.Submit) smpptest.Reply { return smpptest.Reply{Drop: true} }) },
				HangBefore:  f.hangBefore, HangAfter: f.hangAfter,
				Received:    f.received,
				SendInbound: func(in gateway.Inbound) { c.Deliver(smpptest.Text(in.From, in.To, in.Text)) },
			},
		}
	})
}

// scriptedCenter scripts a center for the suite.
type scriptedCenter struct {
	t *testing.T
	c *smpptest.SMSC
	s *sender
}

func (f *scriptedCenter) script(reply func(smpptest.Submit) smpptest.Reply) { f.c.OnSubmit(reply) }

// rebind closes the connections, and waits until the driver binds again.
func (f *scriptedCenter) rebind(bind func() smpptest.BindReply) {
	before := f.c.BindCount()
	f.c.OnBind(bind)
	f.c.CloseConnections()
	if err := f.c.WaitFor(context.Background(), func() bool { return f.c.BindCount() > before }); err != nil {
		f.t.Error(err)
	}
}

func (f *scriptedCenter) hangBefore() gatewaytest.Hang {
	reached, released := make(chan struct{}), make(chan struct{})
	var once, letGo sync.Once
	f.rebind(func() smpptest.BindReply {
		once.Do(func() { close(reached) })
		return smpptest.BindReply{After: released, Drop: true}
	})
	return gatewaytest.Hang{Reached: reached, Release: func() { letGo.Do(func() { close(released) }) }}
}

func (f *scriptedCenter) hangAfter() gatewaytest.Hang {
	reached, released := make(chan struct{}), make(chan struct{})
	var once, letGo sync.Once
	f.script(func(smpptest.Submit) smpptest.Reply {
		once.Do(func() { close(reached) })
		return smpptest.Reply{After: released}
	})
	return gatewaytest.Hang{Reached: reached, Release: func() { letGo.Do(func() { close(released) }) }}
}

func (f *scriptedCenter) received() []gatewaytest.Received {
	var all []gatewaytest.Received
	for _, s := range f.c.Submits() {
		all = append(all, gatewaytest.Received{ProviderID: s.ID, To: s.Destination.Addr, Text: s.Text()})
	}
	return all
}
