package erasure_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/erasure"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/messaging/person"
)

const (
	awa      = "22376000001"
	awaEmail = "Awa@example.com"
	moussa   = "22376000002"
)

// Rules: M176.
func TestErase_NothingOfAPersonStays(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		scheduled := w.history(t, awa, awaEmail)
		if found := w.places(t, awa); len(found) < 8 {
			t.Fatalf("%q has the number before, want more places", found)
		}
		messages, used := w.Int(t, `SELECT count(*) FROM messages`), w.Int(t, `SELECT used FROM quotas`)
		byPhone := w.erase(t, "+"+awa)
		if found := w.places(t, awa); len(found) > 0 {
			t.Errorf("the number is still in %q", found)
		}
		byEmail := w.erase(t, strings.ToLower(awaEmail))
		for _, text := range []string{awa, awaEmail, secret, "p_msg"} {
			if found := w.places(t, text); len(found) > 0 {
				t.Errorf("%s is still in %q", text, found)
			}
		}
		if byPhone.Messages != 8 || byPhone.Canceled != 1 || byPhone.Received != 2 || byPhone.Events < 5 || byEmail.Messages != 1 {
			t.Errorf("by number %+v, by address %+v", byPhone, byEmail)
		}
		if m := w.Message(t, scheduled); m.Status != message.Canceled || !person.IsPseudonym(m.To) || m.To != byPhone.Pseudonym {
			t.Errorf("the scheduled message is %s, to %s", m.Status, m.To)
		}
		if n, back := w.Int(t, `SELECT count(*) FROM messages`), used-w.Int(t, `SELECT used FROM quotas`); n != messages || back != 1 {
			t.Errorf("%d messages and %d given back, want %d and 1", n, back, messages)
		}
		if n := w.Int(t, `SELECT count(*) FROM otp_challenges WHERE prefix LIKE '2237600%'`); n != 1 {
			t.Errorf("%d codes of the prefix, want 1", n)
		}
		if again := w.erase(t, awa); again.Messages+again.Received+again.Events != 0 || again.ID == byPhone.ID {
			t.Errorf("once more: %+v", again)
		}
		list, err := w.Erasure.Erasures(t.Context(), w.Account.ID, 10)
		if err != nil || len(list) != 3 || list[1].Pseudonym == awa {
			t.Errorf("%+v, %v", list, err)
		}
	})
}

func TestErase_Attachments(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		for _, from := range []string{awa, moussa} {
			in := gateway.Inbound{ID: from, Gateway: "fake", Channel: gateway.WhatsApp, From: from, To: messagingtest.WhatsApp, Type: gateway.InboundImage, MediaData: strings.Repeat(secret, 50_000), At: w.Clock.Now()}
			if err := w.Inbox.Receive(t.Context(), in); err != nil {
				t.Fatal(err)
			}
		}
		const chunks = `SELECT count(*) FROM inbox_media_chunks`
		before := w.Int(t, chunks)
		w.erase(t, awa)
		if media, n := w.Int(t, `SELECT count(*) FROM inbox_media`), w.Int(t, chunks); media != 1 || n != before/2 {
			t.Errorf("%d attachments in %d chunks stay, want 1 in %d", media, n, before/2)
		}
		if n := w.Int(t, `SELECT count(*) FROM inbox_media a JOIN inbox_messages m ON m.id = a.message_id WHERE m.from_address = $1`, moussa); n != 1 {
			t.Errorf("%d attachments of somebody else's, want 1", n)
		}
	})
}

func TestErase_StopStaysAndStartEndsIt(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		w.receive(t, gateway.SMS, awa, "Stop")
		w.erase(t, awa)
		if !w.refused(t, sms("+"+awa, "Bonjour")) {
			t.Error("a message went to an erased person who has said STOP")
		}
		if w.refused(t, sms(moussa, "Bonjour")) {
			t.Error("a message to somebody else was refused")
		}
		w.receive(t, gateway.SMS, awa, "START")
		if w.refused(t, sms(awa, "Bonjour")) {
			t.Error("a message was refused after START")
		}
		if n := w.Int(t, `SELECT count(*) FROM opt_outs`); n != 0 {
			t.Errorf("%d opt-outs, want none", n)
		}
	})
}

func TestErase_OthersStayAsTheyAre(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		w.history(t, moussa, "moussa@example.com")
		before := append(w.places(t, moussa), w.places(t, secret)...)
		w.history(t, awa, awaEmail)
		w.erase(t, awa)
		w.erase(t, awaEmail)
		if after := append(w.places(t, moussa), w.places(t, secret)...); !slices.Equal(after, before) {
			t.Errorf("got  %q\nwant %q", after, before)
		}
		if !w.refused(t, sms(moussa, "x")) {
			t.Error("the other's STOP is gone")
		}
	})
}

func TestErase_WaitsForWhatIsBeingHandedOver(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		release := w.Hold(t)
		go func() { _, _ = w.Delivery.Submit(t.Context(), w.LiveCaller, sms(awa, secret)) }()
		w.WaitForCalls(t, 1)
		p, err := w.Erasure.Person(t.Context(), w.Account.ID, awa)
		if err != nil {
			t.Fatal(err)
		}
		first, err := w.Erasure.Erase(t.Context(), p)
		if err != nil || first.Done() {
			t.Fatalf("%+v, %v; want it to wait", first, err)
		}
		again, err := w.Erasure.Erase(t.Context(), p)
		if err != nil || again.ID != first.ID {
			t.Fatalf("%+v, %v; want the same", again, err)
		}
		release()
		w.WaitForInt(t, 1, `SELECT count(*) FROM messages WHERE status = 'SENT'`)
		w.Clock.Advance(time.Second)
		w.run(t)
		w.WaitForInt(t, 1, `SELECT count(*) FROM person_erasures WHERE finished_at IS NOT NULL AND person IS NULL`)
		if found := w.places(t, awa); len(found) > 0 {
			t.Errorf("the number is still in %q", found)
		}
	})
}

func (w *world) run(t *testing.T) {
	t.Helper()
	stop := runPeople(t, w.NewErasure())
	t.Cleanup(stop)
}

// A receipt that arrives after the erasure is used, and restores none of the person's data.
func TestErase_LateReceipts(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		id := w.Submit(t, &message.Request{To: awa, Channel: message.Auto, Content: message.Content{Text: secret}, FallbackAfter: time.Hour}).Message.ID
		w.erase(t, awa)
		calls := len(w.Gateway.Calls())
		for _, status := range []gateway.ReceiptStatus{gateway.ReceiptFailed, gateway.ReceiptDelivered} {
			r := gateway.Receipt{Gateway: "fake", Ref: id, ProviderID: "wamid." + awa, Status: status, At: w.Clock.Now()}
			if status == gateway.ReceiptFailed {
				r.Err = &gateway.Error{Class: gateway.Temporary, Code: "x"}
			}
			if err := w.Delivery.Receipt(t.Context(), r); err != nil {
				t.Fatal(err)
			}
		}
		if m := w.Message(t, id); m.Status != message.Delivered || len(w.Gateway.Calls()) != calls {
			t.Errorf("%s after %d calls more", m.Status, len(w.Gateway.Calls())-calls)
		}
		if found := w.places(t, awa); len(found) > 0 {
			t.Errorf("the number is in %q", found)
		}
	})
}

// If a process dies at any point, another finishes the erasure, and the results are counted once. The test can take
// more than 10 seconds, because it creates a person's history and erases it for each failpoint.
func TestErase_GoesOnAfterACrashAnywhere(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		var want *erasure.Erasure
		for i, name := range append([]string{""}, erasure.Failpoints()...) {
			number, email := fmt.Sprint(22376100000+i), fmt.Sprintf("p%d@example.com", i)
			w.history(t, number, email)
			died := false
			dying := w.NewErasure(func(o *erasure.Options) {
				o.Failpoint = func(at string) {
					if at == name && !died {
						died = true
						panic(name)
					}
				}
			})
			p, err := dying.Person(t.Context(), w.Account.ID, number)
			if err != nil {
				t.Fatal(err)
			}
			func() {
				defer func() { _ = recover() }()
				_, err = dying.Erase(t.Context(), p)
			}()
			if err != nil || died != (name != "") {
				t.Fatalf("%s: died %v, %v", name, died, err)
			}
			w.Clock.Advance(31 * time.Second)
			stop := runPeople(t, w.NewErasure())
			w.WaitForInt(t, 0, `SELECT count(*) FROM person_erasures WHERE finished_at IS NULL OR person IS NOT NULL`)
			stop()
			w.refresh(t)
			if found := w.places(t, number); len(found) > 0 {
				t.Fatalf("after a crash at %q the number is still in %q", name, found)
			}
			list, err := w.Erasure.Erasures(t.Context(), w.Account.ID, 100)
			at := slices.IndexFunc(list, func(e *erasure.Erasure) bool { return e.Pseudonym == p.Pseudonym })
			if err != nil || at < 0 {
				t.Fatal(at, err)
			}
			if got := list[at]; want == nil {
				want = got
			} else if got.Messages != want.Messages || got.Canceled != want.Canceled || got.Received != want.Received || got.Events != want.Events {
				t.Errorf("after a crash at %s: %+v, want the counts of %+v", name, got, want)
			}
			if !w.refused(t, sms(number, "x")) {
				t.Errorf("after a crash at %s STOP is forgotten", name)
			}
			w.erase(t, email)
		}
		if n, erasures := w.Int(t, `SELECT count(*) FROM account_audit_events WHERE action = 'person.erasure_ended'`), w.Int(t, `SELECT count(*) FROM person_erasures`); n != erasures {
			t.Errorf("%d lines of ends in the audit log, want %d", n, erasures)
		}
	})
}

func TestPerson_BadAddresses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.SQLite(t))
	for address, want := range map[string]error{"": apierror.InvalidPhone.Err(), "12": apierror.InvalidPhone.Err(), "x@": apierror.InvalidEmail.Err(), "a@b": apierror.InvalidEmail.Err(), " +22376000001 ": nil} {
		if _, err := w.Erasure.Person(t.Context(), w.Account.ID, address); want == nil && err != nil || want != nil && !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", address, err, want)
		}
	}
}

// An erasure by one address of a person erases the others, and the opt-out applies to each of them.
// Rules: M174.
func TestErase_EachAddressOfAPerson(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		const dialed, id = "2250747000001", "22547000001"
		w := newWorld(t, d)
		w.Gateway.SetScript(func(_ context.Context, out *gateway.Outbound) (gateway.Ack, error) {
			return gateway.Ack{ProviderID: "p_" + out.Ref, Recipient: id}, nil
		})
		to := func(address string) *message.Request {
			return &message.Request{To: address, Channel: gateway.WhatsApp, Content: message.Content{Text: "x"}, Source: message.SourceAPI}
		}
		w.Submit(t, to(dialed))
		w.receive(t, gateway.WhatsApp, id, "bonjour")
		w.Submit(t, to(dialed))
		w.receive(t, gateway.WhatsApp, id, "STOP")
		erased := w.erase(t, dialed)
		if erased.Messages != 2 || erased.Received != 2 {
			t.Errorf("%+v, want two messages and two received", erased)
		}
		for _, text := range []string{dialed, id} {
			if found := w.places(t, text); len(found) > 0 {
				t.Errorf("%s is still in %q", text, found)
			}
		}
		w.refresh(t)
		for _, address := range []string{dialed, id} {
			if _, err := w.Delivery.Submit(t.Context(), w.LiveCaller, to(address)); !errors.Is(err, apierror.RecipientOptedOut.Err()) {
				t.Errorf("to %s after the erasure: %v, want %v", address, err, apierror.RecipientOptedOut.Err())
			}
		}
		w.Clock.Advance(time.Second)
		w.receive(t, gateway.WhatsApp, id, "START")
		for _, address := range []string{dialed, id} {
			w.Submit(t, to(address))
		}
	})
}

// A person's refusal of marketing is exported, and still holds after an erasure.
// Rules: M202.
func TestErase_KeepsTheRefusalOfMarketing(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		report := func(kind gateway.ChangeKind) {
			t.Helper()
			w.Clock.Advance(time.Minute)
			if err := w.Inbox.Change(t.Context(), gateway.Change{Gateway: "fake", Channel: gateway.WhatsApp, Kind: kind, To: messagingtest.WhatsApp, From: awa, At: w.Clock.Now()}); err != nil {
				t.Fatal(err)
			}
			w.refresh(t)
		}
		marketing := func() error {
			content := message.Content{Text: "x", Template: &gateway.Template{Name: "soldes", Language: "fr"}, Category: message.CategoryMarketing}
			_, err := w.Delivery.Submit(t.Context(), w.LiveCaller, &message.Request{To: awa, Channel: gateway.WhatsApp, Content: content, Source: message.SourceAPI})
			return err
		}
		report(gateway.MarketingStopped)
		if _, out := w.export(t, awa); !strings.Contains(out, `{"channel":"whatsapp","scope":"marketing","source":"said"`) {
			t.Errorf("the export has no refusal: %s", out)
		}
		w.erase(t, awa)
		w.refresh(t)
		if found := w.places(t, awa); len(found) > 0 {
			t.Errorf("the number is still in %q", found)
		}
		if err := marketing(); !errors.Is(err, apierror.MarketingStopped.Err()) {
			t.Errorf("after the erasure: %v, want %v", err, apierror.MarketingStopped.Err())
		}
		report(gateway.MarketingResumed)
		if err := marketing(); err != nil {
			t.Errorf("after it was resumed: %v", err)
		}
	})
}
