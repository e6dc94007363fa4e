package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/messaging/account"
)

// withSenders makes an account without a quota in a database that nobody has open, with
// a sender on each of some channels, on the gateways of these names.
func withSenders(t *testing.T, url, plan string, gateways map[gateway.Channel]string) (key string) {
	t.Helper()
	d, err := db.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	if _, err := d.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	spec := &account.Spec{Name: "Boutique", Email: "boutique@example.com", Plan: plan}
	for channel, name := range gateways {
		spec.Senders = append(spec.Senders, account.Sender{Channel: channel, Address: "2237000000" + strconv.Itoa(len(name)), Gateway: name})
	}
	directory := account.NewDirectory(d, clock.System)
	a, err := directory.Create(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	if key, err = directory.CreateKey(t.Context(), a.ID, "", account.Live); err != nil {
		t.Fatal(err)
	}
	return key
}

// waitUntilConnected waits until no sender of a key's account is connecting any more. A remote gateway's senders are
// connecting until it has answered its first request for information, and their messages wait meanwhile.
func waitUntilConnected(t *testing.T, api, key string) {
	t.Helper()
	eventually(t, 20*time.Second, func() error {
		r, err := call("GET", api+"/api/senders", "", "X-API-Key: "+key)
		if err != nil || r.status != 200 || strings.Contains(r.raw, `"state":"connecting"`) {
			return fmt.Errorf("%w: %+v", errors.Join(err, errNotYet), r)
		}
		return nil
	})
}

// again starts a server that has ended, with the same settings.
func (s *server) again(t *testing.T) *server {
	t.Helper()
	return s.by(t, binary)
}

// by is again with another program, or with flags.
func (s *server) by(t *testing.T, program string, flags ...string) *server {
	t.Helper()
	next := s.launch(t, program, flags...)
	eventually(t, 20*time.Second, func() error {
		if r, err := call("GET", next.api+"/healthz", ""); err != nil || r.status != 200 {
			return fmt.Errorf("%w\n%s", errNotYet, next.out)
		}
		return nil
	})
	return next
}

// launch is by, and waits for nothing.
func (s *server) launch(t *testing.T, program string, flags ...string) *server {
	t.Helper()
	next := &server{out: &safeBuffer{}, api: s.api, auth: s.auth, internal: s.internal}
	next.cmd = exec.CommandContext(context.Background(), program, append([]string{"serve"}, flags...)...)
	next.cmd.Dir, next.cmd.Env, next.cmd.Stdout, next.cmd.Stderr = s.cmd.Dir, s.cmd.Env, next.out, next.out
	if err := next.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = next.cmd.Process.Kill(); _ = next.cmd.Wait() })
	return next
}

// load is clients that send until they are stopped, each message under a key of its own.
type load struct {
	t    *testing.T
	api  string
	key  string
	stop context.CancelFunc
	wg   sync.WaitGroup

	mu       sync.Mutex
	accepted map[string]string // text -> message id
	refused  map[string]bool   // texts that were answered 503, or whose answer never came
	count    map[int]int       // answers by status
}

func startLoad(t *testing.T, api, key string, clients int) *load {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	s := &load{t: t, api: api, key: key, stop: stop, accepted: map[string]string{}, refused: map[string]bool{}, count: map[int]int{}}
	for c := range clients {
		s.wg.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				s.send(fmt.Sprintf("n %d %d", c, n), c)
			}
		})
	}
	t.Cleanup(s.end)
	return s
}

func (s *load) end() {
	s.stop()
	s.wg.Wait()
}

// send sends one text; under the same key when it is sent again.
func (s *load) send(text string, to int) {
	r, err := call("POST", s.api+"/api/send", fmt.Sprintf(`{"channel":"sms","to":"2237700%04d","message":%q,"idempotencyKey":%q}`, to, text, text), "Authorization: Bearer "+s.key)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err != nil:
		s.refused[text] = true
		s.count[0]++
		time.Sleep(time.Millisecond) // it is gone: do not spin
		return
	case r.status == 200 || r.status == 202:
		s.accepted[text] = r.text("messageId")
		delete(s.refused, text)
	case r.status == 503:
		s.refused[text] = true
		if r.text("code") != "storage_unavailable" || r.header.Get("Retry-After") == "" {
			s.t.Errorf("503 %s, Retry-After %q", r.raw, r.header.Get("Retry-After"))
		}
	default:
		s.t.Errorf("answered %d %s", r.status, r.raw)
	}
	s.count[r.status]++
}

func (s *load) counts() map[int]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.count)
}

// waitForStatus waits for n more answers with a status.
func (s *load) waitForStatus(status, n int) {
	s.t.Helper()
	from := s.counts()
	eventually(s.t, 60*time.Second, func() error {
		if now := s.counts(); now[status]-from[status] < n {
			return fmt.Errorf("wanted %d answers of status %d: %v, were %v", n, status, now, from)
		}
		return nil
	})
}

// check lets every client ask again about what was not answered, waits for the end of
// all messages, and holds them against what the gateway has.
func (s *load) check(f *remoteGateway) {
	t := s.t
	t.Helper()
	s.end()
	var again []string
	for text := range s.refused {
		again = append(again, text)
	}
	for _, text := range again {
		s.send(text, 0)
	}
	if len(s.refused) > 0 {
		t.Errorf("%d are still refused", len(s.refused))
	}
	status, unknown := s.finalStatuses(f)
	asked, refs := f.delivered()
	for text, n := range refs {
		if n != 1 {
			t.Errorf("%q was sent as %d messages", text, n)
		}
		if s.accepted[text] == "" {
			t.Errorf("%q was sent, and accepted from nobody", text)
		}
	}
	for text := range s.accepted {
		if refs[text] == 0 && status[text] == "SENT" {
			t.Errorf("%q is SENT, and the gateway never had it", text)
		}
		if asked[text] > 1 && !f.deduplicates {
			t.Errorf("%q was handed over %d times", text, asked[text])
		}
	}
	t.Logf("answers %v, %d accepted, %d at the gateway, %d outcomes unknown", s.count, len(s.accepted), len(refs), unknown)
}

// finalStatuses waits until every accepted message is SENT, or has an unknown outcome where that may be.
func (s *load) finalStatuses(f *remoteGateway) (status map[string]string, unknown int) {
	status = map[string]string{}
	type item struct{ text, id string }
	items := make(chan item, len(s.accepted))
	for text, id := range s.accepted {
		items <- item{text, id}
	}
	close(items)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range items {
				r := s.final(i.id)
				e, _ := r.body["error"].(map[string]any)
				lost := r.text("status") == "FAILED" && e["code"] == "outcome_unknown" && !f.deduplicates
				if r.text("status") != "SENT" && !lost {
					s.t.Errorf("%q ended as %s", i.text, r.raw)
				}
				mu.Lock()
				if status[i.text] = r.text("status"); lost {
					unknown++
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return status, unknown
}

// finalStatus waits until a message is done. One whose commit had an unknown outcome waits until it is due.
func (s *load) final(id string) *reply {
	var last *reply
	for deadline := time.Now().Add(90 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		r, err := call("GET", s.api+"/api/status/"+id, "", "Authorization: Bearer "+s.key)
		if err != nil {
			continue
		}
		if last = r; r.text("status") == "SENT" || r.text("status") == "FAILED" {
			return r
		}
	}
	if last == nil {
		return &reply{raw: "nothing"}
	}
	return last
}

// some returns a few of the accepted messages.
func (s *load) some(n int) map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[string]string{}
	for text, id := range s.accepted {
		if len(out) < n {
			out[text] = id
		}
	}
	return out
}
