package chaos

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"example.com/griot/test/system/fleet/history"
)

const readers = 6

// settle waits until every message has ended and every receipt is acknowledged, and records the final states.
func (r *run) settle() {
	open := r.rec.accepted()
	for end := time.Now().Add(r.o.Drain); ; {
		if open = r.unfinished(open); len(open) == 0 {
			break
		}
		if time.Now().After(end) {
			r.rec.add(history.Event{Kind: history.Undrained, Begin: r.rec.now(), Status: fmt.Sprintf("%d messages have not ended after %s", len(open), r.o.Drain)})
			break
		}
		time.Sleep(200 * time.Millisecond)
	}
	r.gateways.wg.Wait()
	r.each(r.rec.accepted(), func(id, account string) { r.final(id, account) })
	for _, a := range r.accounts {
		r.usage(a)
		if a.webhooks {
			r.events(a)
		}
	}
}

// each calls do for every message, several at a time.
func (r *run) each(messages map[string]string, do func(id, account string)) {
	ids := make(chan string)
	var wg sync.WaitGroup
	for range readers {
		wg.Go(func() {
			for id := range ids {
				do(id, messages[id])
			}
		})
	}
	for id := range messages {
		ids <- id
	}
	close(ids)
	wg.Wait()
}

// unfinished returns the messages that have not ended.
func (r *run) unfinished(messages map[string]string) map[string]string {
	var mu sync.Mutex
	open := map[string]string{}
	r.each(messages, func(id, account string) {
		answer := r.get(account, "/api/status/"+id)
		if answer != nil && slices.Contains([]string{"SENT", "DELIVERED", "READ", "FAILED", "EXPIRED", "CANCELED"}, answer.text("status")) {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		open[id] = account
	})
	return open
}

// get requests data of an account from the nodes in turn, until one responds; nil if none did.
func (r *run) get(account, path string) *reply {
	for n := range 3 * len(r.nodes) {
		answer, err := request(http.MethodGet, r.nodes[n%len(r.nodes)].api+path, nil, requestTime, "Authorization", "Bearer "+r.account(account).key)
		if err == nil && answer.status < 500 {
			return answer
		}
		time.Sleep(100 * time.Millisecond)
	}
	return nil
}

func (r *run) account(name string) *account {
	return r.accounts[slices.IndexFunc(r.accounts, func(a *account) bool { return a.name == name })]
}

// final records a message's state.
func (r *run) final(id, account string) {
	e := history.Event{Kind: history.Final, Begin: r.rec.now(), Message: id}
	answer := r.get(account, "/api/status/"+id)
	if answer == nil || answer.status != http.StatusOK {
		return // the checker reports it as missing
	}
	e.Status = answer.text("status")
	if failure, ok := answer.body["error"].(map[string]any); ok {
		e.Code, _ = failure["code"].(string)
	}
	steps, _ := answer.body["events"].([]any)
	for _, s := range steps {
		step, _ := s.(map[string]any)
		note, _ := step["note"].(string)
		e.Delayed = e.Delayed || note == "retry" || strings.Contains(note, "unknown") || strings.Contains(note, "not seen")
	}
	r.rec.add(e)
}

// usage records an account's usage, unless the day has changed.
func (r *run) usage(a *account) {
	answer := r.get(a.name, "/api/key")
	if answer == nil || r.rec.began.UTC().YearDay() != time.Now().UTC().YearDay() {
		return
	}
	usage, _ := answer.body["usage"].(map[string]any)
	n, ok := usage["messagesUsed"].(float64)
	if !ok {
		r.t.Errorf("the use of %s: %d %s", a.name, answer.status, answer.raw)
		return
	}
	r.rec.add(history.Event{Kind: history.Usage, Begin: r.rec.now(), Account: a.name, Used: int(n)})
}

// events waits until an account's events are delivered. It records the stored state of those that still wait, for
// example because a claim of a killed node lasts up to a minute.
func (r *run) events(a *account) {
	pending := func() bool {
		answer := r.get(a.name, "/api/webhooks")
		if answer == nil {
			return true
		}
		hook, _ := answer.body["webhook"].(map[string]any)
		n, _ := hook["pending"].(float64)
		return n > 0
	}
	for end := time.Now().Add(r.o.Events); pending(); time.Sleep(200 * time.Millisecond) {
		if time.Now().After(end) {
			r.stored(a)
			return
		}
	}
}

// stored records the waiting events of an account.
func (r *run) stored(a *account) {
	for cursor := ""; ; {
		answer := r.get(a.name, "/api/webhooks/events?delivery=pending&limit=200&cursor="+cursor)
		if answer == nil {
			return
		}
		list, _ := answer.body["events"].([]any)
		for _, item := range list {
			event, _ := item.(map[string]any)
			id, _ := event["eventId"].(string)
			if whole := r.get(a.name, "/api/webhooks/events/"+id); whole != nil {
				if e, ok := webhookEvent(id, []byte(whole.text("body"))); ok {
					e.Begin = r.rec.now()
					r.rec.add(e)
				}
			}
		}
		if cursor = answer.text("nextCursor"); cursor == "" {
			return
		}
	}
}
