package virtual_test

import (
	"context"
	"encoding/json"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/virtual"
)

func TestIsADriver(t *testing.T) { //nolint:paralleltest // the suite looks for goroutines that are left behind
	for _, where := range []string{"memory", "file"} {
		for _, channel := range []gateway.Channel{gateway.WhatsApp, gateway.SMS, gateway.Email} {
			t.Run(where+" "+string(channel), func(t *testing.T) {
				gatewaytest.Exercise(t, func(t *testing.T) gatewaytest.Subject { return subject(t, where, channel) })
			})
		}
	}
}

// subject returns the gateway as driver and provider.
func subject(t *testing.T, where string, channel gateway.Channel) gatewaytest.Subject {
	env := gatewaytest.NewEnvironment()
	deps := env.Deps()
	path := ""
	if where == "file" {
		path = filepath.Join(t.TempDir(), "virtual.db")
	}
	g := &fixture{t: t, sink: env.Sink, clock: env.Clock}
	g.options = virtual.Options{Path: path, Sink: deps.Sink, Now: deps.Now, Log: deps.Log, Box: testBox(t)}
	s := gatewaytest.Subject{Environment: env, Channel: channel, From: ourNumber, To: []string{aissata, moussa}}
	if channel == gateway.Email {
		s.From, s.To = "griot@example.org", []string{mailbox, "moussa@example.org"}
	}
	g.options.Contacts = g.contacts(channel)
	g.options.Groups = []virtual.Group{
		{ID: family, Name: "Family", Members: []string{aissata, moussa}, Senders: []string{ourNumber}, Admins: []string{ourNumber}},
		{ID: "22370000002-1500000000@g.us", Name: "Team", Members: []string{moussa}, Senders: []string{ourNumber, "22320000003"}},
		{ID: "22370000002-1400000000@g.us", Name: "Not ours", Members: []string{moussa}, Senders: []string{"22320000003"}},
	}
	s.Provider.Groups = func() []gateway.Group {
		return []gateway.Group{
			{ID: family, Name: "Family", Participants: 3, IsAdmin: true}, {ID: "22370000002-1500000000@g.us", Name: "Team", Participants: 3},
		}
	}
	g.open()
	s.Sender = g.Gateway
	setFault := func(outcome string) func() {
		return func() {
			g.ok(http.MethodPut, "/dev/faults/"+string(channel), `{"outcome":"`+outcome+`","count":1000000}`)
		}
	}
	s.Provider = gatewaytest.Provider{
		Groups: s.Provider.Groups, Accept: setFault("none"), Refuse: setFault("permanent"), RefuseForNow: setFault("temporary"),
		RefuseRecipient: setFault("unreachable"), DropBefore: setFault("temporary"), DropAfter: setFault("lost_ack"),
		HangAfter: func() gatewaytest.Hang { return g.hang(channel) },
		Received:  func() []gatewaytest.Received { return g.received(s.To) },
	}
	if channel != gateway.Email {
		s.Provider.SendInbound = g.sendInbound
		s.Provider.HideNumber = func(number string) string { return g.hide(number, "awa.t") }
		s.Provider.ReadMarks = func() (read []string) {
			for _, address := range s.To {
				for _, m := range g.messages(address) {
					if id, ok := m["id"].(string); ok && m["direction"] == "out" && m["status"] == "read" {
						read = append(read, id)
					}
				}
			}
			return read
		}
	}
	return s
}

func (g *fixture) contacts(channel gateway.Channel) func(context.Context) ([]virtual.Contact, error) {
	return func(context.Context) ([]virtual.Contact, error) {
		return []virtual.Contact{{Channel: channel, Address: ourNumber}}, nil
	}
}

// hang sets the timeout fault. A send hangs once the fault's count has decreased.
func (g *fixture) hang(channel gateway.Channel) gatewaytest.Hang {
	g.ok(http.MethodPut, "/dev/faults/"+string(channel), `{"outcome":"timeout","count":2}`)
	reached := make(chan struct{})
	go func() {
		defer close(reached)
		for remaining := 2.0; remaining == 2; time.Sleep(time.Millisecond) {
			for _, f := range g.list("/dev/faults", "faults") {
				if f["channel"] == string(channel) {
					remaining, _ = f["count"].(float64)
				}
			}
		}
	}()
	return gatewaytest.Hang{Reached: reached, Release: func() {
		g.ok(http.MethodPut, "/dev/faults/"+string(channel), `{"outcome":"none"}`)
	}}
}

func (g *fixture) received(addresses []string) []gatewaytest.Received {
	text := func(o object, name string) string { s, _ := o[name].(string); return s }
	if status, _ := g.call(http.MethodGet, "/dev/phones-list", ""); status != http.StatusOK { // the suite looks after Close too
		again := &fixture{t: g.t, options: g.options}
		again.open()
		defer func() {
			if err := again.Close(); err != nil {
				g.t.Error(err)
			}
		}()
		g = again
	}
	var all []gatewaytest.Received
	for _, address := range addresses {
		for _, m := range g.messages(address) {
			if m["direction"] == "in" {
				r := gatewaytest.Received{
					Ref: text(m, "reference"), ProviderID: text(m, "id"), To: text(m, "to"),
					Text: text(m, "text"), Subject: text(m, "subject"), HTML: text(m, "html"), ReplyTo: text(m, "replyTo"),
				}
				if m["mediaSha256"] != nil {
					r.Media = &gatewaytest.Attachment{SHA256: text(m, "mediaSha256"), MIMEType: text(m, "mimeType"), FileName: text(m, "fileName")}
				}
				all = append(all, r)
			}
		}
	}
	return all
}

func (g *fixture) sendInbound(in gateway.Inbound) {
	body, err := json.Marshal(object{"channel": in.Channel, "to": in.To, "text": in.Text, "displayName": in.DisplayName})
	if err != nil {
		g.t.Fatal(err)
	}
	g.ok(http.MethodPost, "/dev/phones/"+in.From+"/messages", string(body))
}
