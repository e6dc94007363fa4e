package delivery_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"example.com/griot/gateway"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
)

// states are the columns of the table: a message in each state that decisions distinguish.
var states = []struct {
	name string
	is   message.Status
	with func(*message.Message)
}{
	{"SCHEDULED", message.Scheduled, nil},
	{"QUEUED", message.Queued, nil},
	{"retry", message.Queued, func(m *message.Message) { m.Calls, m.Tries = 1, 1 }},
	{"SENDING", message.Sending, func(m *message.Message) { m.Calls = 1 }},
	{"unknown", message.Sending, func(m *message.Message) { m.Calls, m.UnknownAt = 1, messagingtest.Start.Add(-time.Minute) }},
	{"SENT", message.Sent, handedOver},
	{"FAILED", message.Failed, func(m *message.Message) { m.Calls = 1 }},
	{"EXPIRED", message.Expired, func(m *message.Message) { m.Calls = 1 }},
	{"DELIVERED", message.Delivered, handedOver},
	{"READ", message.Read, handedOver},
	{"CANCELED", message.Canceled, nil},
	{"SANDBOX", message.Sandbox, nil},
}

func handedOver(m *message.Message) {
	m.Calls, m.SentAt, m.ProviderID = 1, messagingtest.Start.Add(-time.Minute), "p"
}

func inState(s message.Status, with func(*message.Message)) *message.Message {
	m := &message.Message{
		ID: "msg_1", RequestedChannel: message.Auto, Channel: gateway.WhatsApp, Gateway: "fake", SenderID: "a", RouteIndex: 1, Status: s, ChargedDay: 1,
		CreatedAt: messagingtest.Start.Add(-time.Hour), ExpiresAt: messagingtest.Start.Add(time.Hour),
	}
	if with != nil {
		with(m)
	}
	return m
}

// table contains the result of each event in each state: "-" nothing, "ref" only its gateway's ID, "next" QUEUED on
// the next route, "later" QUEUED until a time, "unknown" SENDING with an unknown outcome, "repeat" and "begin"
// another call of a gateway that deduplicates, immediately or in its turn; "+" refunds the quota.
const table = `
                            SCHEDULED  QUEUED     retry      SENDING    unknown    SENT       FAILED     EXPIRED    DELIVERED  READ       CANCELED   SANDBOX
  acked                     -          -          SENT       SENT       SENT       -          ref        ref        -          -          -          -
  acked in another form     -          -          SENT       SENT       SENT       -          -          -          -          -          -          -
  acked by a route before   -          -          -          -          -          -          -          -          -          -          -          -
  refused for good          -          -          -          FAILED+    FAILED     -          -          -          -          -          -          -
  refused for good, next    -          -          -          next       next       -          -          -          -          -          -          -
  refused for now           -          -          -          later      unknown    -          -          -          -          -          -          -
  refused for now, next     -          -          -          next       unknown    -          -          -          -          -          -          -
  outcome unknown           -          -          -          unknown    unknown    -          -          -          -          -          -          -
  outcome unknown, D        -          -          -          repeat     repeat     -          -          -          -          -          -          -
  the third unknown, D      -          -          -          unknown    unknown    -          -          -          -          -          -          -
  unknown of a code, next   -          -          -          next       next       -          -          -          -          -          -          -
  unprepared, now           later      later      later      later      unknown    -          -          -          -          -          -          -
  unprepared, good          FAILED+    FAILED+    FAILED+    FAILED+    unknown    -          -          -          -          -          -          -
  not called                -          -          -          QUEUED     unknown    -          -          -          -          -          -          -
  look again                -          -          -          unknown    FAILED     -          -          -          -          -          -          -
  look again, D             -          -          -          begin      begin      -          -          -          -          -          -          -
  look again, suspended     -          -          -          unknown    unknown    -          -          -          -          -          -          -
  look at a code, next      -          -          -          next       next       -          -          -          -          -          -          -
  never seen                -          -          -          QUEUED     QUEUED     -          -          -          -          -          -          -
  receipt: sent             -          -          SENT       SENT       SENT       -          -          -          -          -          -          -
  receipt: delivered        -          -          DELIVERED  DELIVERED  DELIVERED  DELIVERED  DELIVERED  DELIVERED  -          -          -          -
  receipt: read             -          -          READ       READ       READ       READ       READ       READ       READ       -          -          -
  receipt: failed           -          -          -          FAILED     FAILED     FAILED     -          -          -          -          -          -
  receipt: failed, next     -          -          -          next       next       next       -          -          -          -          -          -
  failed by a route before  -          -          -          -          -          -          -          -          -          -          -          -
  read by a route before    -          -          READ       READ       READ       READ       READ       READ       READ       -          -          -
  fallback due              -          -          -          -          -          SENT       -          -          -          -          -          -
  fallback due, next        -          -          -          -          -          next       -          -          -          -          -          -
  cancel                    CANCELED+  CANCELED+  CANCELED+  -          -          -          -          -          -          -          -          -
  cancel, sent before       -          -          -          -          -          -          -          -          -          -          -          -
  expired                   EXPIRED+   EXPIRED+   EXPIRED+   -          FAILED     -          -          -          -          -          -          -
  expired, sent before      SENT       SENT       SENT       -          SENT       -          -          -          -          -          -          -
  day full                  later      later      later      -          -          -          -          -          -          -          -          -
  day full, next            next       next       next       -          -          -          -          -          -          -          -          -
  erase                     CANCELED+  CANCELED+  CANCELED+  -          FAILED     -          -          -          -          -          -          -
  erase, sent before        SENT       SENT       SENT       -          SENT       -          -          -          -          -          -          -
  opted out                 FAILED+    FAILED+    FAILED+    -          FAILED     -          -          -          -          -          -          -
  opted out, next           next       next       next       -          FAILED     -          -          -          -          -          -          -
  opted out, sent before    SENT       SENT       SENT       -          SENT       -          -          -          -          -          -          -
  sender removed            CANCELED+  CANCELED+  CANCELED+  -          -          -          -          -          -          -          -          -
  sender removed, sent      SENT       SENT       SENT       -          -          -          -          -          -          -          -          -
  sender removed, moved     SCHEDULED  next       -          -          -          -          -          -          -          -          -          -
  sender removed, no other  -          -          -          -          -          -          -          -          -          -          -          -
  sender removed, named     -          -          -          -          -          -          -          -          -          -          -          -
  restored                  FAILED     FAILED     FAILED     FAILED     FAILED     -          -          -          -          -          -          -
  restored, due later       -          -          -          FAILED     FAILED     SENT       -          -          -          -          -          -
  restored, sent before     SENT       SENT       SENT       SENT       SENT       -          -          -          -          -          -          -
`

var rows = []struct {
	name string
	e    delivery.Event
	with func(*message.Message)
}{
	{"acked", delivery.Event{Kind: "acked", Ack: gateway.Ack{ProviderID: "q"}}, nil},
	{"acked in another form", delivery.Event{Kind: "acked", Ack: gateway.Ack{Form: "template order"}}, nil},
	{"acked by a route before", delivery.Event{Kind: "acked", Ack: gateway.Ack{ProviderID: "q"}}, func(m *message.Message) { m.RouteIndex = 2 }},
	{"refused for good", delivery.Event{Kind: "refused", Err: failure(gateway.Permanent)}, nil},
	{"refused for good, next", delivery.Event{Kind: "refused", Err: failure(gateway.Permanent), Next: elsewhere}, nil},
	{"refused for now", delivery.Event{Kind: "refused", Err: failure(gateway.Temporary)}, retries},
	{"refused for now, next", delivery.Event{Kind: "refused", Err: failure(gateway.Temporary), Next: elsewhere}, nil},
	{"outcome unknown", delivery.Event{Kind: "refused", Err: failure(gateway.Unknown), Calls: 1, Room: true}, nil},
	{"outcome unknown, D", delivery.Event{Kind: "refused", Err: failure(gateway.Unknown), Calls: 1, Room: true, Deduplicates: true}, nil},
	{"the third unknown, D", delivery.Event{Kind: "refused", Err: failure(gateway.Unknown), Calls: 3, Room: true, Deduplicates: true}, nil},
	{"unknown of a code, next", delivery.Event{Kind: "refused", Err: failure(gateway.Unknown), Calls: 1, Next: elsewhere}, quick},
	{"unprepared, now", delivery.Event{Kind: "prepare failed", Err: failure(gateway.SenderDown)}, retries},
	{"unprepared, good", delivery.Event{Kind: "prepare failed", Err: failure(gateway.Permanent)}, nil},
	{"not called", delivery.Event{Kind: "not called"}, nil},
	{"look again", delivery.Event{Kind: "look again"}, nil},
	{"look again, D", delivery.Event{Kind: "look again", Deduplicates: true}, nil},
	{"look again, suspended", delivery.Event{Kind: "look again", Deduplicates: true, Suspended: true}, nil},
	{"look at a code, next", delivery.Event{Kind: "look again", Next: elsewhere}, quick},
	{"never seen", delivery.Event{Kind: "never seen"}, nil},
	{"receipt: sent", delivery.Event{Kind: "receipt", Receipt: message.Sent}, nil},
	{"receipt: delivered", delivery.Event{Kind: "receipt", Receipt: message.Delivered}, nil},
	{"receipt: read", delivery.Event{Kind: "receipt", Receipt: message.Read}, nil},
	{"receipt: failed", delivery.Event{Kind: "receipt", Receipt: message.Failed, Err: failure(gateway.Permanent)}, nil},
	{"receipt: failed, next", delivery.Event{Kind: "receipt", Receipt: message.Failed, Err: failure(gateway.Permanent), Next: elsewhere}, nil},
	{"failed by a route before", delivery.Event{Kind: "receipt", Receipt: message.Failed, Err: failure(gateway.Permanent)}, func(m *message.Message) { m.RouteIndex = 2 }},
	{"read by a route before", delivery.Event{Kind: "receipt", Receipt: message.Read}, func(m *message.Message) { m.RouteIndex = 2 }},
	{"fallback due", delivery.Event{Kind: "fallback due"}, nil},
	{"fallback due, next", delivery.Event{Kind: "fallback due", Next: elsewhere}, nil},
	{"cancel", delivery.Event{Kind: "cancel"}, nil},
	{"cancel, sent before", delivery.Event{Kind: "cancel"}, sentBefore},
	{"expired", delivery.Event{Kind: "expired", Now: messagingtest.Start.Add(time.Hour)}, nil},
	{"expired, sent before", delivery.Event{Kind: "expired", Now: messagingtest.Start.Add(time.Hour)}, sentBefore},
	{"day full", delivery.Event{Kind: "day full", Err: failure(gateway.RateLimited), Until: messagingtest.Start.Add(time.Minute)}, nil},
	{"day full, next", delivery.Event{Kind: "day full", Err: failure(gateway.RateLimited), Next: elsewhere}, nil},
	{"erase", delivery.Event{Kind: "erase"}, nil},
	{"erase, sent before", delivery.Event{Kind: "erase"}, sentBefore},
	{"opted out", delivery.Event{Kind: "opted out", Err: failure(gateway.Unreachable)}, nil},
	{"opted out, next", delivery.Event{Kind: "opted out", Err: failure(gateway.Unreachable), Next: elsewhere}, nil},
	{"opted out, sent before", delivery.Event{Kind: "opted out", Err: failure(gateway.Unreachable)}, sentBefore},
	{"sender removed", delivery.Event{Kind: "sender removed"}, nil},
	{"sender removed, sent", delivery.Event{Kind: "sender removed"}, sentBefore},
	{"sender removed, moved", delivery.Event{Kind: "sender removed", Reroute: true, Next: elsewhere}, nil},
	{"sender removed, no other", delivery.Event{Kind: "sender removed", Reroute: true}, nil},
	{"sender removed, named", delivery.Event{Kind: "sender removed", Reroute: true, Next: elsewhere}, func(m *message.Message) { m.Options.SenderID = "a" }},
	{"restored", delivery.Event{Kind: "restored"}, nil},
	{"restored, due later", delivery.Event{Kind: "restored"}, func(m *message.Message) { m.DueAt = messagingtest.Start.Add(time.Minute) }},
	{"restored, sent before", delivery.Event{Kind: "restored"}, sentBefore},
}

var elsewhere = &message.Route{Channel: gateway.SMS, SenderID: "b", From: "2", Gateway: "fake", Address: "3"}

func failure(c gateway.Class) *gateway.Error { return &gateway.Error{Class: c, Code: "code"} }

func retries(m *message.Message) { m.Options.Retry = message.Retry{Max: 5, Delay: 1000} }

func quick(m *message.Message) { m.Options.Quick = true }

func sentBefore(m *message.Message) {
	m.RouteIndex, m.Tried = 2, []message.Route{{Channel: gateway.Email, SenderID: "c", Gateway: "fake", Sent: true}}
	m.SentAt = messagingtest.Start.Add(-time.Minute)
}

// outcome returns a decision in the words of the table.
func outcome(d delivery.Decision) string {
	var word string
	switch m := d.After; {
	case d.Again:
		word = "repeat"
	case d.Retake:
		word = "begin"
	case m == nil:
		word = "-"
	case d.KeepRef:
		word = "ref"
	case d.Moved && m.Status == message.Queued:
		word = "next"
	case m.Status == message.Queued && !m.DueAt.IsZero():
		word = "later"
	case m.Status == message.Sending && !m.UnknownAt.IsZero():
		word = "unknown"
	default:
		word = string(m.Status)
	}
	if d.Refund {
		word += "+"
	}
	return word
}

// The whole table: each event in each state.
// Rules: M47.
func TestDecide_Table(t *testing.T) {
	var got strings.Builder
	line := func(name string, cells []string) {
		text := "  " + name + strings.Repeat(" ", max(26-len(name), 1))
		for _, c := range cells {
			text += c + strings.Repeat(" ", max(11-len(c), 1))
		}
		got.WriteString("\n" + strings.TrimRight(text, " "))
	}
	var names []string
	for _, s := range states {
		names = append(names, s.name)
	}
	line("", names)
	seen := map[string]bool{}
	for _, r := range rows {
		var cells []string
		for _, s := range states {
			m := inState(s.is, s.with)
			if r.with != nil {
				r.with(m)
			}
			e := r.e
			seen[e.Kind] = true
			if e.Now.IsZero() {
				e.Now = messagingtest.Start
			}
			e.Of, e.UnknownWait = 1, time.Minute
			cells = append(cells, outcome(delivery.Decide(m, &e)))
		}
		line(r.name, cells)
	}
	if len(seen) != len(delivery.Kinds()) {
		t.Errorf("the table has %d kinds of events, there are %d", len(seen), len(delivery.Kinds()))
	}
	wants, gots := strings.Split(strings.TrimSpace(table), "\n"), strings.Split(strings.TrimSpace(got.String()), "\n")
	if len(wants) != len(gots) {
		t.Fatalf("the table has %d lines, want one for each of %d:%s", len(wants), len(gots), got.String())
	}
	for i := range gots {
		if strings.TrimSpace(gots[i]) != strings.TrimSpace(wants[i]) {
			t.Errorf("got  %s\nwant %s", gots[i], wants[i])
		}
	}
}

// Each new step has a sentence that explains it, unless its status or failure does.
func TestDecide_Notes(t *testing.T) {
	const later = "its sender warms up, and has sent what it may today; waits until 2026-03-04T12:01:00Z"
	want := map[string]string{
		"acked in another form": "template order", "refused for good, next": "left for sms", "refused for now": "retry|outcome unknown", "refused for now, next": "left for sms|outcome unknown",
		"outcome unknown": "outcome unknown", "the third unknown, D": "outcome unknown", "unknown of a code, next": "left for sms", "unprepared, now": "retry|outcome unknown", "unprepared, good": "|outcome unknown",
		"look again": "outcome unknown|", "look again, suspended": "outcome unknown|", "look at a code, next": "left for sms", "never seen": "its gateway has not seen it",
		"receipt: sent": "receipt", "receipt: delivered": "receipt", "receipt: read": "receipt", "receipt: failed": "receipt", "receipt: failed, next": "left for sms", "read by a route before": "receipt",
		"fallback due": "no other way; it stays with whatsapp", "fallback due, next": "not delivered in time; left for sms",
		"expired, sent before": "no other way; it stays with email", "day full": later, "day full, next": "left for sms", "erase, sent before": "no other way; it stays with email",
		"opted out, next": "left for sms|", "opted out, sent before": "no other way; it stays with email",
		"sender removed, sent": "no other way; it stays with email", "sender removed, moved": "its sender was removed; moved to another",
		"restored, due later": "|no other way; it stays with whatsapp", "restored, sent before": "no other way; it stays with email",
	}
	for _, r := range rows {
		var got []string
		for _, s := range states {
			m := inState(s.is, s.with)
			if r.with != nil {
				r.with(m)
			}
			e := r.e
			if e.Now.IsZero() {
				e.Now = messagingtest.Start
			}
			e.Of, e.UnknownWait = 1, time.Minute
			if d := delivery.Decide(m, &e); d.After != nil && !slices.Contains(got, d.Note) && outcome(d) != "ref" {
				got = append(got, d.Note)
			}
		}
		if got := strings.Join(got, "|"); got != want[r.name] {
			t.Errorf("%s: %q, want %q", r.name, got, want[r.name])
		}
	}
}

// For any order of events, the status of a message never goes back except for a retry and on its next route; a read,
// canceled, or simulated message stays so; and its quota is refunded once, exactly when it ends and no gateway might
// have it.
func TestDecide_WhateverHappens(t *testing.T) {
	kinds := delivery.Kinds()
	slices.Sort(kinds)
	kinds = append(kinds, "refused", "refused", "receipt", "receipt") // the most frequent events
	for range 20 {                                                    // each takes milliseconds
		rapid.Check(t, func(rt *rapid.T) { anyDecision(rt, kinds) })
	}
}

// anyDecision draws random events of a message and checks each decision.
func anyDecision(rt *rapid.T, kinds []string) {
	start := rapid.SampledFrom([]message.Status{message.Queued, message.Scheduled, message.Sandbox}).Draw(rt, "starts as")
	m := inState(start, nil)
	m.Options.Retry = message.Retry{Max: rapid.IntRange(0, 3).Draw(rt, "tries"), Delay: 1000}
	m.Options.Quick = rapid.Bool().Draw(rt, "quick")
	deduplicates := rapid.Bool().Draw(rt, "deduplicates")
	now := messagingtest.Start
	routes := rapid.IntRange(0, 2).Draw(rt, "routes")
	var here, before, refunded bool // it might have been submitted on this route, or on an earlier one
	for range rapid.IntRange(1, 30).Draw(rt, "steps") {
		now = now.Add(time.Duration(rapid.IntRange(0, 600).Draw(rt, "seconds")) * time.Second)
		if m.Status == message.Queued || m.Status == message.Scheduled {
			if rapid.Bool().Draw(rt, "begins") { // as the outbox marks it
				m.Status = message.Sending
				m.Calls++
			}
		}
		e := &delivery.Event{
			Kind: rapid.SampledFrom(kinds).Draw(rt, "event"), Of: max(m.RouteIndex-rapid.SampledFrom([]int{0, 0, 0, 1}).Draw(rt, "routes ago"), 1), Now: now, Deduplicates: deduplicates,
			Calls: rapid.IntRange(1, 4).Draw(rt, "asked"), Room: rapid.Bool().Draw(rt, "room"), UnknownWait: time.Minute, Until: now.Add(time.Hour),
		}
		if m.RouteIndex <= routes {
			e.Next = elsewhere
		}
		handedOver := false
		switch e.Kind {
		case "acked":
			if m.Calls == 0 {
				continue // no gateway was queried
			}
			e.Ack.ProviderID = "p"
			handedOver = e.Of == m.RouteIndex
		case "refused", "prepare failed", "day full":
			e.Err = failure(rapid.SampledFrom([]gateway.Class{gateway.Temporary, gateway.Permanent, gateway.Unreachable, gateway.SenderDown, gateway.RateLimited, gateway.Unknown}).Draw(rt, "class"))
			if e.Kind != "refused" && e.Err.Class == gateway.Unknown {
				continue // without a call of a gateway, nothing is unknown
			}
			handedOver = e.Err.Class == gateway.Unknown && e.Of == m.RouteIndex
		case "receipt":
			if m.Calls == 0 {
				continue // a message that no gateway was called with has no receipts
			}
			e.Receipt = rapid.SampledFrom([]message.Status{message.Sent, message.Delivered, message.Read, message.Failed}).Draw(rt, "receipt")
			if e.Receipt == message.Failed {
				e.Err = failure(gateway.Permanent)
			}
			handedOver = true
		case "opted out":
			e.Err = failure(gateway.Unreachable)
		case "look again", "restored":
			handedOver = true // a call might have been made
		}
		was := *m
		d := delivery.Decide(m, e)
		if !reflect.DeepEqual(*m, was) {
			rt.Fatalf("%s changed the message itself", e.Kind)
		}
		if d.After == nil {
			if d.Again { // as the attempt remembers until its next call has ended
				here = true
				if m.UnknownAt.IsZero() {
					m.UnknownAt = now
				}
			}
			continue
		}
		after := d.After
		settled := was.Status == message.Read || was.Status == message.Canceled || was.Status == message.Sandbox
		if settled && after.Status != was.Status {
			rt.Fatalf("%s made %s of %s", e.Kind, after.Status, was.Status)
		}
		retry := was.Status == message.Sending && after.Status == message.Queued
		if after.Status.Rank() < was.Status.Rank() && !retry && !d.Moved {
			rt.Fatalf("%s took it back from %s to %s", e.Kind, was.Status, after.Status)
		}
		if e.Kind == "never seen" {
			here = false
		} else if handedOver {
			here = true
		}
		ended := was.Status.Open() && (after.Status == message.Failed || after.Status == message.Expired || after.Status == message.Canceled)
		if want := ended && !here && !before; d.Refund != want || d.Refund && refunded {
			rt.Fatalf("%s made %s of %s: given back %v (before: %v), want %v", e.Kind, after.Status, was.Status, d.Refund, refunded, want)
		}
		refunded = refunded || d.Refund
		if d.Moved {
			before, here = before || here, false
		}
		m = after
	}
}
