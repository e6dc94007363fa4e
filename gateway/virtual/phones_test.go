package virtual_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/griot/gateway"
	"example.com/griot/gateway/virtual"
	"example.com/griot/internal/phone"
)

func TestOffline_MessagesWaitForThePhone(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, g *fixture) {
		g.run()
		want := object{"address": aissata, "online": false, "blocked": false}
		if diff := cmp.Diff(want, g.ok("PUT", "/dev/phones/+"+aissata, `{"online":false}`)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		first, second, other := outbound(aissata), outbound(aissata), outbound(moussa)
		second.Text = "Encore"
		ack := g.send(first)
		if again := g.send(first); again != ack {
			t.Error("a message that waits is not deduplicated")
		}
		g.send(second)
		g.send(other)
		g.wait("the other phone's receipt", func() bool { return len(g.sink.Receipts()) == 1 })
		if got := g.messages(aissata); len(got) != 0 {
			t.Errorf("an offline phone shows %v", got)
		}
		if status, _ := g.call("POST", "/dev/phones/"+aissata+"/messages/"+ack.ProviderID+"/read", "{}"); status != 404 {
			t.Error("a hidden message can be read")
		}
		if got := g.outcomes(first.Ref); !slices.Equal(got, []string{"offline", "duplicate"}) {
			t.Errorf("attempts: %v", got)
		}
		g.clock.Advance(time.Hour)
		g.ok("PUT", "/dev/phones/"+aissata, `{"online":true}`)
		if got := g.texts(aissata); !slices.Equal(got, []string{"Bonjour", "Encore"}) {
			t.Errorf("back online, the phone shows %v", got)
		}
		g.wait("the receipts", func() bool { return len(g.sink.Receipts()) == 3 })
		for _, r := range g.sink.Receipts()[1:] {
			if r.Status != gateway.ReceiptDelivered || !r.At.Equal(g.clock.Now()) || r.Ref == other.Ref {
				t.Errorf("%+v", r)
			}
		}
	})
}

func TestOffline_ConcurrentSwitching(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, g *fixture) {
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				for range 25 {
					g.send(outbound(aissata))
				}
			})
			wg.Go(func() {
				for range 10 {
					g.ok("PUT", "/dev/phones/"+aissata, fmt.Sprintf(`{"online":%v}`, i%2 == 0))
				}
			})
		}
		wg.Wait()
		g.ok("PUT", "/dev/phones/"+aissata, `{"online":true}`)
		if n := len(g.messages(aissata)); n != 200 {
			t.Errorf("%d messages, want 200", n)
		}
		g.run()
		g.wait("the receipts", func() bool { return len(g.sink.Receipts()) == 200 })
	})
}

func TestOffline_SendDuringReturn(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, g *fixture) {
		for i := range 80 {
			g.ok("PUT", "/dev/phones/"+aissata, `{"online":false}`)
			var wg sync.WaitGroup
			wg.Go(func() { g.send(outbound(aissata)) })
			wg.Go(func() { g.ok("PUT", "/dev/phones/"+aissata, `{"online":true}`) })
			wg.Wait()
			if n := len(g.messages(aissata)); n != i+1 {
				t.Fatalf("online, and it shows %d of %d messages", n, i+1)
			}
		}
	})
}

func TestOffline_Restart(t *testing.T) {
	t.Parallel()
	g := withFile(t)
	g.ok("PUT", "/dev/phones/"+aissata, `{"online":false}`)
	out := outbound(aissata)
	g.send(out)
	g.reopen()
	if got := g.texts(aissata); !slices.Equal(got, []string{"Bonjour"}) {
		t.Errorf("after a restart the phone shows %v", got)
	}
	g.run()
	g.wait("the receipt", func() bool { return len(g.sink.Receipts()) == 1 && g.sink.Receipts()[0].Ref == out.Ref })
}

func TestBlocked_GetsOnlySMS(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, g *fixture) {
		for _, address := range []string{aissata, mailbox} {
			if got := g.ok("PUT", "/dev/phones/"+address, `{"blocked":true}`); got["blocked"] != true || got["online"] != true {
				t.Errorf("state %v", got)
			}
			out := outbound(address)
			g.refused(out, gateway.Unreachable, "virtual_blocked")
			if got := g.outcomes(out.Ref); !slices.Equal(got, []string{"unreachable"}) {
				t.Errorf("attempts: %v", got)
			}
		}
		sms := outbound(aissata)
		sms.Channel = gateway.SMS
		g.send(sms)
		g.send(outbound(moussa))
		g.ok("PUT", "/dev/phones/"+aissata, `{"blocked":false}`)
		g.send(outbound(aissata))
		if n := len(g.messages(aissata)); n != 2 {
			t.Errorf("%d messages", n)
		}
	})
}

func TestPhonesList_ShowsTheKnownAndTheActive(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, g *fixture) {
		g.send(outbound(mailbox))
		g.clock.Advance(time.Second)
		read := g.send(outbound(moussa))
		g.send(outbound(moussa))
		g.ok("POST", "/dev/phones/"+moussa+"/messages/"+read.ProviderID+"/read", "{}")
		g.ok("PUT", "/dev/phones/"+aissata, `{"online":false}`)
		g.send(outbound(aissata))
		g.ok("PUT", "/dev/phones/"+mailbox, `{"blocked":true}`)
		answer := g.ok("GET", "/dev/phones-list", "")
		line := func(address, kind string, unread float64, lastAt any) object {
			return object{"address": address, "name": nil, "kind": kind, "unread": unread, "lastAt": lastAt, "online": true, "blocked": false}
		}
		awa := line(aissata, "phone", 0, nil)
		awa["name"], awa["online"] = "Aïssata", false
		group := line(family, "group", 0, nil)
		group["name"], group["members"] = "Family", []any{aissata, moussa}
		mail := line(mailbox, "email", 1, "2026-05-01T12:00:00.007Z")
		mail["blocked"] = true
		grouped := object{"GRIOT": "GRIOT", family: family, mailbox: mailbox}
		for _, number := range []string{aissata, moussa, "+" + ourNumber, "22320000002"} {
			grouped[number] = phone.Grouped(number)
		}
		want := object{
			"phones": []any{awa, group, line(moussa, "phone", 1, "2026-05-01T12:00:01.007Z"), mail},
			"contacts": []any{
				object{"channel": "whatsapp", "address": "+" + ourNumber, "name": "Demo"},
				object{"channel": "sms", "address": "22320000002", "name": "Demo SMS"},
				object{"channel": "sms", "address": "GRIOT", "name": "No number"},
			},
			"grouped": grouped,
		}
		if diff := cmp.Diff(want, answer); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		from := outbound(aissata).From
		g.ok("PUT", "/dev/phones/"+aissata, `{"online":true}`)
		if diff := cmp.Diff(object{aissata: phone.Grouped(aissata), from: phone.Grouped(from)}, g.ok("GET", "/dev/phones/"+aissata+"/messages", "")["grouped"]); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if got := g.list("/dev/phones-list", "phones")[0]; got["unread"] != 1.0 || got["lastAt"] != "2026-05-01T12:00:01.007Z" {
			t.Errorf("back online: %v", got)
		}
		for i := range 60 {
			g.clock.Advance(time.Second)
			g.send(outbound(fmt.Sprint(22380000000 + i)))
		}
		phones := g.list("/dev/phones-list", "phones")
		if len(phones) != 52 || phones[2]["address"] != "22380000059" || phones[51]["address"] != "22380000010" {
			t.Errorf("%d phones, %v ... %v", len(phones), phones[2], phones[len(phones)-1])
		}
	})
}

func TestNew_RefusesWhatIsMissingOrWrong(t *testing.T) {
	t.Parallel()
	g := open(t, "")
	for name, change := range map[string]func(*virtual.Options){
		"sink":        func(o *virtual.Options) { o.Sink = nil },
		"clock":       func(o *virtual.Options) { o.Now = nil },
		"box":         func(o *virtual.Options) { o.Path, o.Box = t.TempDir()+"/v.db", nil },
		"path":        func(o *virtual.Options) { o.Path = t.TempDir() + "/none/v.db" },
		"phone":       func(o *virtual.Options) { o.Phones = []virtual.Contact{{Address: "?"}} },
		"group":       func(o *virtual.Options) { o.Groups = []virtual.Group{{ID: aissata}} },
		"base URL":    func(o *virtual.Options) { o.BaseURL = "localhost" },
		"file in use": func(o *virtual.Options) { o.Path = withFile(t).options.Path },
	} {
		o := g.options
		change(&o)
		if made, err := virtual.New(context.Background(), o); err == nil {
			t.Errorf("a wrong %s is accepted", name)
			_ = made.Close()
		}
	}
	o := g.options
	o.Log, o.Contacts, o.BaseURL = nil, nil, ""
	made, err := virtual.New(context.Background(), o)
	if err := errors.Join(err, made.Close()); err != nil {
		t.Error(err)
	}
}

// The number of phones that are offline or blocked is bounded.
func TestPhones_OfflineLimit(t *testing.T) {
	g := open(t, "")
	g.ok("PUT", "/dev/phones/"+moussa, `{"online":false}`)
	off := 0
	for n := range 11_000 {
		status, answer := g.call("PUT", fmt.Sprintf("/dev/phones/2236%07d", n), `{"online":false}`)
		if status == 200 {
			off++
		} else if status != 400 || answer["error"] != "too_many_phones" {
			t.Fatalf("%d %v", status, answer)
		}
	}
	if off != 9_999 {
		t.Errorf("%d phones are offline, want 9999 and the first", off)
	}
	g.ok("PUT", "/dev/phones/"+moussa, `{"online":true}`)
	g.ok("PUT", "/dev/phones/22360099999", `{"online":false}`)
}
