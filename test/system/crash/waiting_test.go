package crash_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/waittest"
	"example.com/griot/test/system/systemtest"
)

const hanging = 25

// 25 messages are sent to one person. The gateway hangs on the first, and the process is killed. Only that message
// might have been delivered, and it is repeated if the gateway deduplicates. The 24 others were waiting, so each
// arrives once, in order.
func TestCrash_WhatOnlyWaitedArrivesOnceInOrder(t *testing.T) {
	t.Parallel()
	for _, deduplicates := range []bool{true, false} {
		t.Run(fmt.Sprint("deduplicates=", deduplicates), func(t *testing.T) {
			t.Parallel()
			checkWaitingBehindHang(t, deduplicates)
		})
	}
}

func checkWaitingBehindHang(t *testing.T, deduplicates bool) {
	t.Helper()
	dir := t.TempDir()
	env := []string{"GRIOT_UNKNOWN_WAIT=1s"}
	p := startWith(t, systemtest.Binary, dir, env)
	const person = "22378000001"
	p.Call("PUT", p.BaseURL+"/dev/phones-options", fmt.Sprintf(`{"deduplicate":%v}`, deduplicates))
	p.Call("PUT", p.BaseURL+"/dev/faults/sms", `{"outcome":"timeout","count":1}`)
	first := p.Send(p.Accounts.Unlimited.LiveKey, fmt.Sprintf(`{"channel":"sms","to":%q,"message":"text 0"}`, person))
	if first.Status != 202 {
		t.Fatalf("the message that hangs: %d %s, want 202", first.Status, first.Raw)
	}
	ids := []string{first.Text("messageId")}
	for batch := range 3 { // each has a response before the next is sent
		var items []string
		for n := range (hanging - 1) / 3 {
			items = append(items, fmt.Sprintf(`{"channel":"sms","to":%q,"message":"text %d"}`, person, 1+batch*(hanging-1)/3+n))
		}
		r := p.Call("POST", p.BaseURL+"/api/send/batch", `{"messages":[`+strings.Join(items, ",")+`]}`, "Authorization: Bearer "+p.Accounts.Unlimited.LiveKey)
		results, _ := r.Body["results"].([]any)
		for _, item := range results {
			one, _ := item.(map[string]any)
			id, _ := one["messageId"].(string)
			ids = append(ids, id)
		}
	}
	if len(ids) != hanging {
		t.Fatalf("%d were accepted, want %d", len(ids), hanging)
	}
	p.Kill()
	p = startWith(t, systemtest.Binary, dir, env)
	if status, code := finalStatus(p, t, ids[0]); deduplicates == (status == "FAILED") || !deduplicates && code != "outcome_unknown" {
		t.Errorf("the one that hung ended as %s %s, want it sent where that is safe, and else FAILED outcome_unknown", status, code)
	}
	for n, id := range ids[1:] {
		if status, code := finalStatus(p, t, id); status != "SENT" && status != "DELIVERED" {
			t.Errorf("text %d ended as %s %s, want SENT or DELIVERED", n+1, status, code)
		}
	}
	var got, want []string
	for _, m := range p.Phone(person) {
		got = append(got, m.Text)
	}
	if deduplicates {
		want = append(want, "text 0")
	}
	for n := 1; n < hanging; n++ {
		want = append(want, fmt.Sprint("text ", n))
	}
	if strings.Join(got, ", ") != strings.Join(want, ", ") {
		t.Errorf("the phone has %q, want %q", got, want)
	}
}

// Scheduled messages that become due while the gateway hangs on others wait, and are not lost when the process dies.
// Rules: M31.
func TestCrash_ScheduledOnesThatCameDueAreNotLost(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	env := []string{"GRIOT_UNKNOWN_WAIT=1s"}
	p := startWith(t, systemtest.Binary, dir, env)
	p.Call("PUT", p.BaseURL+"/dev/phones-options", `{"deduplicate":false}`)
	const persons, each = 20, 5
	p.Call("PUT", p.BaseURL+"/dev/faults/sms", fmt.Sprintf(`{"outcome":"timeout","count":%d}`, persons))
	at := time.Now().Add(1500 * time.Millisecond)
	var items []string
	for n := range persons * each {
		items = append(items, fmt.Sprintf(`{"channel":"sms","to":"2237810%04d","message":"text %d","scheduledAt":%q}`, n%persons, n/persons, at.UTC().Format(time.RFC3339Nano)))
	}
	r := p.Call("POST", p.BaseURL+"/api/send/batch", `{"messages":[`+strings.Join(items, ",")+`]}`, "Authorization: Bearer "+p.Accounts.Unlimited.LiveKey)
	results, _ := r.Body["results"].([]any)
	if len(results) != persons*each {
		t.Fatalf("%d %s, want %d results", r.Status, r.Raw, persons*each)
	}
	waittest.Until(t, func() error {
		if f := p.Call("GET", p.BaseURL+"/dev/faults", ""); strings.Contains(f.Raw, "timeout") {
			return fmt.Errorf("%w: %s", systemtest.ErrNotYet, f.Raw)
		}
		return nil
	})
	p.Kill()
	p = startWith(t, systemtest.Binary, dir, env)
	unknown := 0
	for n, item := range results {
		one, _ := item.(map[string]any)
		id, _ := one["messageId"].(string)
		switch status, code := finalStatus(p, t, id); {
		case status == "SENT", status == "DELIVERED":
		case status == "FAILED" && code == "outcome_unknown":
			unknown++
		default:
			t.Errorf("item %d ended as %s %s, want SENT, DELIVERED, or FAILED outcome_unknown", n, status, code)
		}
	}
	if unknown != persons {
		t.Errorf("%d outcomes are unknown, want %d: as many as the gateway hung on", unknown, persons)
	}
	for n := range persons {
		if got := len(p.Phone(fmt.Sprintf("2237810%04d", n))); got != each-1 {
			t.Errorf("phone %d has %d messages, want %d", n, got, each-1)
		}
	}
}
