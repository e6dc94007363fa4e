package gatewaytest

import (
	"context"
	"errors"
	"io"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/waittest"
)

func TestExercise_PassesWhatKeepsTheRules(t *testing.T) {
	for name, change := range map[string]func(*memory){
		"plain":               func(*memory) {},
		"deduplicating":       func(m *memory) { m.deduplicates = true },
		"WhatsApp":            func(m *memory) { m.channel = gateway.WhatsApp },
		"email":               func(m *memory) { m.channel = gateway.Email },
		"receipts by id only": func(m *memory) { m.flaw = "reports by id only" },
	} {
		t.Run(name, func(t *testing.T) {
			Exercise(t, func(*testing.T) Subject {
				m := newMemory("")
				change(m)
				return m.subject()
			})
		})
	}
}

// flaws maps each flaw to the check that must find it.
var flaws = map[string]string{
	"lists no channel":                 "info",
	"lists a channel twice":            "info",
	"alters the text":                  "arrives",
	"sends to another":                 "arrives",
	"makes up ids":                     "arrives",
	"doubles":                          "arrives",
	"changes the message":              "arrives",
	"logs the text":                    "arrives",
	"takes any channel":                "unlisted channel",
	"ignores expiry":                   "expired",
	"expires by the machine's clock":   "expired",
	"has its own word for expired":     "expired",
	"takes no message without expiry":  "expired",
	"ignores an ended context":         "context ended before",
	"loses every tenth":                "many at once",
	"claims to deduplicate":            "same reference",
	"deduplicates in secret":           "same reference",
	"sends after Close":                "closed",
	"closes once":                      "closed",
	"never closes":                     "closed",
	"takes every refusal as temporary": "refused",
	"keeps what was refused":           "refused",
	"returns bare errors":              "refused",
	"explains itself in the code":      "refused",
	"sends to nobody":                  "WhatsApp ID",
	"repeats the text":                 "refused",
	"asks to retry in the past":        "refused for now",
	"takes every refusal as permanent": "recipient refused",
	"repeats the recipient":            "recipient refused",
	"repeats the login":                "login refused",
	"drop before is unknown":           "dropped before",
	"stays down":                       "dropped before",
	"drop after is temporary":          "dropped after",
	"tries again by itself":            "dropped after",
	"hang before is unknown":           "context ends before handing over",
	"waits whatever the context":       "context ends after handing over",
	"runs on":                          "run",
	"fails to run":                     "run",
	"is never connected":               "connection state",
	"takes numbers as names":           "names",
	"takes no names":                   "names",
	"sends from no names":              "names",
	"knows nothing":                    "query",
	"knows everything":                 "query",
	"forgets its acks":                 "query",
	"reports nothing":                  "receipts",
	"reports only sent":                "receipts",
	"reports strangers":                "receipts",
	"alters inbound":                   "inbound",
	"gives inbound no id":              "inbound",
	"gives all inbound one id":         "inbound",
	"makes up inbound":                 "inbound",
	"delivers once":                    "receipts refused by the sink",
	"loses the attachment":             "media",
	"cuts the attachment":              "media",
	"changes the attachment":           "media",
	"takes nothing with buttons":       "forms",
	"answers nothing":                  "replies",
	"tells nobody that it was read":    "read marks",
	"marks read after Close":           "read marks",
	"answers everything":               "replies",
	"loses people without a number":    "hidden number",
	"takes IDs for numbers":            "hidden number",
	"takes IDs as numbers":             "hidden number",
	"sends to numbers only":            "hidden number",
	"reports no ID":                    "hidden number",
	"marks read by number only":        "hidden number",

	"marks read when the context has ended":    "read marks",
	"does not know what became of a read mark": "read marks",
	"shows nothing to scan":                    "pairing",
	"shows a code to scan":                     "pairing",
	"pairs by itself":                          "pairing",
	"pairs on after it was canceled":           "pairing",
	"never sees the phone":                     "pairing",
	"refuses to go on pairing":                 "pairing",
	"logs what is shown":                       "pairing",
	"says how a pairing is after Close":        "pairing",
	"pairs when the context has ended":         "pairing",
	"takes every attachment for a picture":     "media",
	"gives the attachment another name":        "media",
	"lists a group twice":                      "groups",
	"lists in any order":                       "groups",
	"lists the groups of all":                  "groups",
	"forgets who administers":                  "groups",
	"has no groups after Close":                "groups",
	"has no groups when the context has ended": "groups",
}

func TestChecks_FindEachFlaw(t *testing.T) {
	for flaw, name := range flaws {
		if err := runCheck(t, name, func() *memory { return newMemory(flaw) }); err == nil {
			t.Errorf("check %q passes with flaw %q", name, flaw)
		}
	}
	if err := runCheck(t, "inbound refused by the sink", func() *memory { return newMemory("delivers once") }); err == nil {
		t.Error("a driver that loses inbound which the sink refused passes")
	}
	dropsSubject := func() *memory {
		m := newMemory("drops the subject")
		m.channel = gateway.Email
		return m
	}
	if err := runCheck(t, "arrives", dropsSubject); err == nil {
		t.Error("a driver that drops an email's subject passes")
	}
}

func TestChecks_EachFindsAFlaw(t *testing.T) {
	found := []string{"inbound refused by the sink"} // tried above
	for _, name := range flaws {
		found = append(found, name)
	}
	for _, c := range checks() {
		if !slices.Contains(found, c.name) {
			t.Errorf("there is no flaw for check %q", c.name)
		}
		if err := runCheck(t, c.name, func() *memory { return newMemory("") }); err != nil {
			t.Errorf("%q fails a driver without flaws: %v", c.name, err)
		}
	}
}

// runCheck runs one check in a synctest bubble, where waiting takes no time.
func runCheck(t *testing.T, name string, open func() *memory) (err error) {
	t.Helper()
	all := checks()
	i := slices.IndexFunc(all, func(c check) bool { return c.name == name })
	if i < 0 {
		t.Fatalf("there is no check %q", name)
	}
	synctest.Test(t, func(*testing.T) {
		err = all[i].execute(open().subject())
		time.Sleep(3 * waittest.Limit) // until everything that should have ended has ended
	})
	return err
}

func TestLeakedGoroutines(t *testing.T) {
	m := newMemory("leaves work behind")
	if err := leakedGoroutines(func() { _ = m.Close() }); err == nil {
		t.Error("a goroutine that outlives Close isn't found")
	}
	m.wake <- struct{}{} // ends the goroutine
	if err := leakedGoroutines(func() { _ = newMemory("").Close() }); err != nil {
		t.Error(err)
	}
}

func TestChecks_ApplyToWhatADriverCanDo(t *testing.T) {
	s := newMemory("").subject()
	s.Sender = bare{}
	s.Provider.DropBefore, s.Provider.HangBefore, s.Provider.RefuseLogin, s.Provider.SendInbound = nil, nil, nil, nil
	var names []string
	for _, c := range checks() {
		if c.applies == nil || c.applies(s) {
			names = append(names, c.name)
		}
	}
	want := []string{
		"info", "arrives", "unlisted channel", "expired", "WhatsApp ID", "context ended before", "many at once", "same reference", "closed",
		"refused", "refused for now", "recipient refused", "dropped after", "context ends after handing over",
	}
	if !slices.Equal(names, want) {
		t.Errorf("to a driver that only sends, these apply: %q\nwant %q", names, want)
	}
}

type bare struct{}

func (bare) Info() gateway.Info { return gateway.Info{} }
func (bare) Send(context.Context, *gateway.Outbound) (gateway.Ack, error) {
	return gateway.Ack{}, io.EOF
}
func (bare) Close() error { return nil }

func TestSubject_MustBeWhole(t *testing.T) {
	if err := newMemory("").subject().problem(); err != nil {
		t.Error(err)
	}
	for name, remove := range map[string]func(*Subject){
		"environment": func(s *Subject) { s.Environment = nil },
		"sender":      func(s *Subject) { s.Sender = nil },
		"channel":     func(s *Subject) { s.Channel = "" },
		"from":        func(s *Subject) { s.From = "" },
		"to":          func(s *Subject) { s.To = nil },
		"empty to":    func(s *Subject) { s.To = []string{""} },
		"secrets":     func(s *Subject) { s.Secrets = nil },
		"script":      func(s *Subject) { s.Provider.DropAfter = nil },
		"received":    func(s *Subject) { s.Provider.Received = nil },
		"read marks":  func(s *Subject) { s.Provider.ReadMarks = nil },
		"link phone":  func(s *Subject) { s.Provider.LinkPhone = nil },
		"groups":      func(s *Subject) { s.Channel, s.Provider.Groups = gateway.WhatsApp, nil },
		"inbound":     func(s *Subject) { s.Channel, s.Provider.SendInbound = gateway.WhatsApp, nil },
	} {
		s := newMemory("").subject()
		remove(&s)
		if s.problem() == nil {
			t.Errorf("a Subject without %s is accepted", name)
		}
	}
}

func TestSink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var k Sink
		k.Refuse(1)
		if err := k.Inbound(ctx, gateway.Inbound{ID: "1"}); err == nil {
			t.Error("the sink stored what it was set to refuse")
		}
		go func() {
			_ = k.Inbound(ctx, gateway.Inbound{ID: "2"})
			_ = k.Receipt(ctx, gateway.Receipt{Ref: "3"})
		}()
		if err := k.Wait(ctx, func() bool { return len(k.Receipts()) == 1 }); err != nil {
			t.Error(err)
		}
		if k.Refused() != 1 || len(k.Messages()) != 1 || k.Messages()[0].ID != "2" || k.Receipts()[0].Ref != "3" {
			t.Errorf("refused %d, took %+v and %+v", k.Refused(), k.Messages(), k.Receipts())
		}
		if err := k.Receipt(ctx, gateway.Receipt{Gateway: "5"}); err == nil {
			t.Error("a receipt that names no message was taken")
		}
		cancel()
		if err := k.Wait(ctx, func() bool { return false }); !errors.Is(err, context.Canceled) {
			t.Errorf("Wait = %v", err)
		}
		if err := k.Receipt(ctx, gateway.Receipt{Ref: "4"}); !errors.Is(err, context.Canceled) || len(k.Receipts()) != 1 {
			t.Errorf("with an ended context, Receipt = %v", err)
		}
	})
}
