package virtual_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/griot/gateway"
	"example.com/griot/gateway/virtual"
	"example.com/griot/internal/waittest"
)

const inboundBody = `{"channel":"whatsapp","to":"+22320000001","text":"Ça va ?","displayName":"Aïssata K."}`

func TestPhoneWrites_StoredBeforeAnswer(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, g *fixture) {
		status, got := g.call("POST", "/dev/phones/+"+aissata+"/messages", inboundBody)
		if status != 201 {
			t.Fatalf("%d, %v", status, got)
		}
		want := object{
			"id": got["id"], "direction": "out", "channel": "whatsapp", "from": aissata, "to": ourNumber, "type": "text", "text": "Ça va ?", "html": nil,
			"subject": nil, "mediaUrl": nil, "mimeType": nil, "fileName": nil, "mediaSize": nil, "mediaSha256": nil, "interactive": nil, "template": nil, "choice": nil, "replyTo": nil, "at": "2026-05-01T12:00:00.007Z", "status": "delivered", "reference": nil,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		wantIn := []gateway.Inbound{{
			ID: got["id"].(string), Channel: gateway.WhatsApp, From: aissata, To: ourNumber, DisplayName: "Aïssata K.", Type: gateway.InboundText, Text: "Ça va ?", At: g.clock.Now(),
		}}
		if diff := cmp.Diff(wantIn, g.sink.Messages()); diff != "" || !strings.HasPrefix(wantIn[0].ID, "vp_") {
			t.Errorf("id %q, want vp_… (-want +got):\n%s", wantIn[0].ID, diff)
		}
		g.send(outbound(aissata))
		if diff := cmp.Diff([]object{want}, g.messages(aissata)[:1]); diff != "" {
			t.Errorf("the phone's own list: %s", diff)
		}
		if phone := g.list("/dev/phones-list", "phones")[0]; phone["unread"] != 1.0 {
			t.Errorf("a written message counts as unread: %v", phone)
		}
	})
}

func TestPhoneWrites_RetriedWhenSinkRefuses(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, g *fixture) {
		g.run()
		g.sink.Refuse(3)
		got := g.ok("POST", "/dev/phones/"+aissata+"/messages", inboundBody)
		if got["status"] != "sent" {
			t.Errorf("the sink has refused, and the status is %v", got["status"])
		}
		g.wait("the message", func() bool { return len(g.sink.Messages()) == 1 })
		if in := g.sink.Messages()[0]; in.ID != got["id"] || in.Text != "Ça va ?" || in.DisplayName != "Aïssata K." || !in.At.Equal(g.clock.Now()) {
			t.Errorf("%+v", in)
		}
		for g.messages(aissata)[0]["status"] != "delivered" { // Run stores it after the sink has it
		}
		if strings.Count(g.log.String(), "va ?") > 0 || strings.Count(g.log.String(), aissata) > 0 {
			t.Error("the log has the text or the number")
		}
	})
}

// Run looks for waiting messages while requests deliver theirs. If a request ends between that read and the
// comparison with the requests, its message must not be delivered a second time.
func TestPhoneWrites_DeliveredOnceBesideRun(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, g *fixture) {
		g.run()
		const writers, each = 8, 60
		var wg sync.WaitGroup
		for i := range writers {
			wg.Go(func() {
				for range each {
					if status, answer := g.call("POST", fmt.Sprintf("/dev/phones/2237600%04d/messages", i), inboundBody); status != 201 {
						t.Errorf("%d, %v", status, answer)
					}
				}
			})
		}
		wg.Wait()
		if n := len(g.sink.Messages()); n != writers*each {
			t.Errorf("%d messages reached the sink, want %d", n, writers*each)
		}
	})
}

func TestPhoneWrites_RetriedAfterRestart(t *testing.T) {
	t.Parallel()
	g := withFile(t)
	g.sink.Refuse(1)
	id := g.ok("POST", "/dev/phones/"+aissata+"/messages", inboundBody)["id"]
	g.ok("POST", "/dev/phones/"+moussa+"/messages", inboundBody)
	g.reopen()
	stop := g.run()
	g.wait("the first message", func() bool { return len(g.sink.Messages()) == 2 })
	if in := g.sink.Messages()[1]; in.ID != id || in.From != aissata || in.DisplayName != "Aïssata K." {
		t.Errorf("%+v", in)
	}
	stop()
	g.reopen()
	g.run()
	g.send(outbound(aissata))
	g.wait("a receipt", func() bool { return len(g.sink.Receipts()) == 1 })
	if n := len(g.sink.Messages()); n != 2 {
		t.Errorf("%d messages are delivered again, want none", n)
	}
}

// blockingSink is a sink that blocks until it is released.
type blockingSink struct {
	gateway.Sink
	in, out chan struct{}
}

func (s *blockingSink) Inbound(ctx context.Context, in gateway.Inbound) error {
	s.in <- struct{}{}
	<-s.out
	return s.Sink.Inbound(ctx, in)
}

func TestPhoneWrites_RunSkipsMessagesOfRequests(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, g *fixture) {
		s := &blockingSink{Sink: g.sink, in: make(chan struct{}, 9), out: make(chan struct{})}
		g.options.Sink = s
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
		g.open()
		done := make(chan object)
		go func() {
			_, answer := g.call("POST", "/dev/phones/"+aissata+"/messages", inboundBody)
			done <- answer
		}()
		waittest.Receive(t, s.in)
		g.run() // finds the message pending
		g.send(outbound(aissata))
		g.wait("a receipt", func() bool { return len(g.sink.Receipts()) == 1 })
		close(s.out)
		if got := waittest.Receive(t, done); got["status"] != "delivered" {
			t.Errorf("%v", got)
		}
		if n := len(g.sink.Messages()); n != 1 {
			t.Errorf("delivered %d times", n)
		}
	})
}

func TestPhoneWrites_EveryBadInput(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, g *fixture) {
		body := func(channel, to, text, name string) string {
			b, err := json.Marshal(map[string]string{"channel": channel, "to": to, "text": text, "displayName": name})
			if err != nil {
				t.Fatal(err)
			}
			return string(b)
		}
		for _, tt := range []struct{ path, body, code string }{
			{aissata, body("email", ourNumber, "x", ""), "invalid_channel"},
			{aissata, body("", ourNumber, "x", ""), "invalid_channel"},
			{aissata, body("whatsapp", ourNumber, "", ""), "invalid_text"},
			{aissata, body("whatsapp", ourNumber, strings.Repeat("é", 4097), ""), "invalid_text"},
			{aissata, body("whatsapp", ourNumber, "x", strings.Repeat("é", 101)), "invalid_display_name"},
			{aissata, body("sms", ourNumber, "x", ""), "unknown_number"}, // known on WhatsApp only
			{aissata, body("whatsapp", "22320000009", "x", ""), "unknown_number"},
			{aissata, body("sms", "GRIOT", "x", ""), "unknown_number"},
			{aissata, body("sms", "", "x", ""), "unknown_number"},
			{aissata, `{"channel":"whatsapp","text":"x"}`, "unknown_number"},
			{aissata, `{"channel":"whatsapp","to":"` + ourNumber + `"}`, "invalid_text"},
			{aissata, `{"channel":"whatsapp","to":"` + ourNumber + `","text":null}`, "invalid_text"},
			{mailbox, body("whatsapp", ourNumber, "x", ""), "invalid_address"},
			{family, body("whatsapp", ourNumber, "x", ""), "invalid_address"},
			{"123", body("whatsapp", ourNumber, "x", ""), "invalid_address"},
			{aissata, body("whatsapp", ourNumber, "a\x00b", ""), "invalid_json"},
			{aissata, body("whatsapp", ourNumber, "x", "a\x00b"), "invalid_json"},
			{aissata, `{"channel":"whatsapp","to":"` + ourNumber + `","text":"x","TEXT":"y"}`, "invalid_json"},
			{aissata, `{"channel":"whatsapp","to":"` + ourNumber + `","text":"x","text":"y"}`, "invalid_json"},
			{aissata, `{"channel":"whatsapp","to":"` + ourNumber + `","text":7}`, "invalid_json"},
			{aissata, `{"channel":"whatsapp","to":"` + ourNumber + `","text":"x","choice":"x"}`, "invalid_json"},
			{aissata, `{"channel":"whatsapp","to":"` + ourNumber + `","text":"x","choice":{"id":"x","titel":"X"}}`, "invalid_choice"},
			{aissata, `{"channel":"whatsapp","to":"` + ourNumber + `","text":"x","choice":{"id":"x"}}`, "invalid_choice"},
			{aissata, `{"channel":"whatsapp","to":"` + ourNumber + `","text":"x","choice":{"id":"x\u0000","title":"X"}}`, "invalid_choice"},
			{aissata, `{"channel":"whatsapp","to":"` + ourNumber + `","choice":{"id":"x","title":"` + strings.Repeat("é", 257) + `"}}`, "invalid_choice"},
			{aissata, `{"channel":"sms","to":"22320000002","text":"x","choice":{"id":"x","title":"X"}}`, "invalid_choice"},
			{aissata, `{"channel":"whatsapp","to":"` + ourNumber + `","text":"x","replyTo":"vp_unknown"}`, "unknown_message"},
		} {
			if status, answer := g.call("POST", "/dev/phones/"+tt.path+"/messages", tt.body); status != 400 || answer["error"] != tt.code {
				t.Errorf("%s %.80s: %d, %v; want %s", tt.path, tt.body, status, answer, tt.code)
			}
		}
		if n := len(g.messages(aissata)) + len(g.sink.Messages()); n != 0 {
			t.Errorf("%d messages are stored or delivered", n)
		}
		g.ok("POST", "/dev/phones/"+aissata+"/messages", body("whatsapp", ourNumber, strings.Repeat("é", 4096), strings.Repeat("é", 100)))
		g.ok("POST", "/dev/phones/"+aissata+"/messages", body("sms", "22320000002", "x", ""))
	})
}

func TestPhoneWrites_InternalError(t *testing.T) {
	t.Parallel()
	g := open(t, "")
	g.options.Contacts = func(context.Context) ([]virtual.Contact, error) { return nil, errors.New("secret detail") }
	g.reopen()
	status, answer := g.call("POST", "/dev/phones/"+aissata+"/messages", inboundBody)
	if status != 500 || answer["error"] != "internal_error" || strings.Contains(answer["message"].(string), "secret") {
		t.Errorf("%d, %v", status, answer)
	}
	if strings.Count(g.log.String(), "secret detail") != 1 {
		t.Error("the log doesn't have the error")
	}
	if status, _ := g.call("GET", "/dev/phones-list", ""); status != 500 {
		t.Errorf("phones-list: %d", status)
	}
}

// A message contains its choice and the message that it quotes: by our reference, or by the phone's ID of its own message.
func TestPhoneWrites_AnAnswer(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, g *fixture) {
		out := outbound(aissata)
		g.send(out)
		asked := g.messages(aissata)[0]["id"].(string)
		pressed := g.ok("POST", "/dev/phones/"+aissata+"/messages", `{"channel":"whatsapp","to":"`+ourNumber+`","choice":{"id":"oui","title":"Oui"},"replyTo":"`+asked+`"}`)
		if got, _ := json.Marshal(pressed); !strings.Contains(string(got), `"choice":{"id":"oui","title":"Oui"}`) || pressed["replyTo"] != asked || pressed["text"] != "Oui" {
			t.Errorf("the phone shows %s, want the choice, the quoted message, and the title as text", got)
		}
		g.ok("POST", "/dev/phones/"+aissata+"/messages", `{"channel":"whatsapp","to":"`+ourNumber+`","text":"Enfin !","replyTo":"`+pressed["id"].(string)+`"}`)
		in := g.sink.Messages()
		if want := (gateway.Choice{ID: "oui", Title: "Oui"}); in[0].Choice != want || in[0].ReplyTo != (gateway.Quoted{Ref: out.Ref}) || in[0].Text != "Oui" {
			t.Errorf("the sink got %+v, want the choice in answer to %s", in[0], out.Ref)
		}
		if in[1].Choice != (gateway.Choice{}) || in[1].ReplyTo != (gateway.Quoted{ProviderID: pressed["id"].(string)}) {
			t.Errorf("the sink got %+v, want an answer to the phone's own message", in[1])
		}
		if got := g.messages(aissata); len(got) != 3 || got[1]["replyTo"] != asked || got[1]["choice"] == nil || got[2]["choice"] != nil {
			t.Errorf("the phone's list: %v", got)
		}
	})
}
