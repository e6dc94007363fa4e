package crash_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/griot/internal/waittest"
	messagingverbs "example.com/griot/messaging/verbs"
	"example.com/griot/test/system/fleet/history"
	"example.com/griot/test/system/systemtest"
)

// Parts of the mixed load.
const (
	mixedKills   = 12 // unless GRIOT_TEST_KILLS is set
	mixedPhones  = 20
	mixedBatch   = 20
	mixedToOne   = 5 // of a batch: to one person, in order
	mixedClients = 6
	mixedPaced   = "22379060000" // recipient of the paced gateway's messages
	mixedAnswers = 10            // fewer requests of each campaign have a response before a kill, if not more have after its time
	mixedSettled = 4             // kills after which all messages of the campaigns must end
)

func kills(t *testing.T) int {
	t.Helper()
	s := os.Getenv("GRIOT_TEST_KILLS")
	if s == "" {
		return mixedKills
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		t.Fatalf("GRIOT_TEST_KILLS is %q, want a number of kills", s)
	}
	return n
}

// accepted is a message whose request got a response.
type accepted struct {
	id, to string
	code   bool
}

// mixed is a group of clients that send in many ways until the process is killed, in several rounds.
type mixed struct {
	t   *testing.T
	mu  sync.Mutex
	got []accepted // in the order of the responses; for one recipient, this is the guaranteed order
	to  map[string]bool

	deduplicates bool

	paced  *systemtest.Peer // a gateway with a pace, for which messages wait
	sender string           // its sender

	seed      uint64
	campaigns []*campaign
}

func (l *mixed) note(a accepted) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.got = append(l.got, a)
	l.to[a.to] = true
}

// post sends one request. It returns false after the process is gone.
func (l *mixed) post(p *systemtest.Dev, path, body string, to ...string) bool {
	r, err := systemtest.Call("POST", p.BaseURL+path, body, "Authorization: Bearer "+p.Accounts.Unlimited.LiveKey)
	if err != nil {
		return false
	}
	if r.Status != 200 && r.Status != 202 {
		l.t.Errorf("%s %s: %d %s, want 200 or 202", path, body, r.Status, r.Raw)
		return true
	}
	results, _ := r.Body["results"].([]any)
	if results == nil {
		results = []any{r.Body}
	}
	if len(results) != len(to) {
		l.t.Errorf("%s: %d results, want %d: %s", path, len(results), len(to), r.Raw)
		return true
	}
	for n, item := range results {
		m, _ := item.(map[string]any)
		id, _ := m["messageId"].(string)
		if id == "" {
			l.t.Errorf("%s: a result without an id: %v", path, m)
			continue
		}
		l.note(accepted{id, to[n], strings.HasPrefix(path, "/api/otp")})
	}
	return true
}

func textTo(channel, to, text, more string) string {
	return fmt.Sprintf(`{"channel":%q,"to":%q,"message":%q%s}`, channel, to, text, more)
}

// round sends until the process is killed at a random moment.
func (l *mixed) round(p *systemtest.Dev, round int) {
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	clients := uint64(0)
	random := func() *rand.Rand { // the next client's
		clients++
		return rand.New(rand.NewPCG(l.seed, uint64(round)<<16|clients))
	}
	forever := func(one func(rng *rand.Rand, n int) bool) {
		rng := random()
		wg.Go(func() {
			for n := 0; ctx.Err() == nil && one(rng, n); n++ {
				time.Sleep(time.Duration(rng.IntN(3)) * time.Millisecond)
			}
		})
	}
	forever(func(_ *rand.Rand, n int) bool { // one person
		return l.post(p, "/api/send", textTo("sms", "22379000001", fmt.Sprint("one ", round, " ", n), fmt.Sprintf(`,"idempotencyKey":"one %d %d"`, round, n)), "22379000001")
	})
	for c := range mixedClients { // many
		forever(func(rng *rand.Rand, _ int) bool {
			to := fmt.Sprintf("2237901%04d", c*100+rng.IntN(mixedPhones))
			return l.post(p, "/api/send", textTo("whatsapp", to, "many", ""), to)
		})
	}
	forever(func(rng *rand.Rand, _ int) bool { // scheduled
		to := fmt.Sprintf("2237902%04d", rng.IntN(mixedPhones))
		at := time.Now().Add(time.Duration(100+rng.IntN(1500)) * time.Millisecond).UTC().Format(time.RFC3339Nano)
		return l.post(p, "/api/send", textTo("sms", to, "scheduled", fmt.Sprintf(`,"scheduledAt":%q`, at)), to)
	})
	forever(func(rng *rand.Rand, _ int) bool { // sent on another channel, because these phones are not on WhatsApp
		to := fmt.Sprintf("2237903%04d", rng.IntN(mixedPhones))
		return l.post(p, "/api/send", textTo("auto", to, "auto", ""), to)
	})
	forever(func(rng *rand.Rand, n int) bool { // batches
		var items, to []string
		for i := range mixedBatch {
			person := "22379040000"
			if i >= mixedToOne {
				person = fmt.Sprintf("2237904%04d", 1+rng.IntN(mixedPhones))
			}
			to = append(to, person)
			items = append(items, textTo("sms", person, fmt.Sprint("batch ", round, " ", n, " ", i), ""))
		}
		return l.post(p, "/api/send/batch", `{"messages":[`+strings.Join(items, ",")+`]}`, to...)
	})
	forever(func(_ *rand.Rand, n int) bool { // more than the paced gateway accepts
		return l.post(p, "/api/send", textTo("sms", mixedPaced, fmt.Sprint("paced ", round, " ", n), fmt.Sprintf(`,"senderId":%q`, l.sender)), mixedPaced)
	})
	for _, c := range l.campaigns {
		c.load(p, forever)
	}
	rng := random()
	codeAfter, killAfter := time.Duration(rng.IntN(150))*time.Millisecond, time.Duration(50+rng.IntN(300))*time.Millisecond
	var least []int // because a busy machine needs longer for anything to happen
	for _, c := range l.campaigns {
		least = append(least, c.responses()+rng.IntN(mixedAnswers))
	}
	wg.Go(func() { // one one-time code per round, because they are limited
		time.Sleep(codeAfter)
		to := fmt.Sprintf("2237905%04d", round)
		l.post(p, "/api/otp/send", fmt.Sprintf(`{"to":%q}`, to), to)
	})
	time.Sleep(killAfter)
	waittest.Until(l.t, func() error {
		for i, c := range l.campaigns {
			if n := c.responses(); n < least[i] {
				return fmt.Errorf("%w: %s has %d responses, want %d", systemtest.ErrNotYet, c.name, n, least[i])
			}
		}
		return nil
	})
	p.Kill()
	cancel()
	wg.Wait()
}

// The process is killed repeatedly under every kind of traffic, with campaigns whose messages are canceled and stopped
// and whose accounts are suspended while they wait. No accepted message is lost, nothing is sent twice, only calls that
// had started can end with an unknown outcome, and the other messages keep their order. What was canceled, stopped, or
// suspended while it waited is not sent. The test takes as long as the restarts of the process, and the ends of all
// messages every few kills.
func TestCrash_MixedLoad(t *testing.T) {
	t.Parallel()
	for _, deduplicates := range []bool{true, false} {
		t.Run(fmt.Sprint("deduplicates=", deduplicates), func(t *testing.T) {
			t.Parallel()
			dir, many := t.TempDir(), kills(t)
			env := []string{"GRIOT_UNKNOWN_WAIT=1s", "GRIOT_OTP_PREFIX_HOURLY=0", "GRIOT_SEND_WAIT=5ms"} // a caller who repeats a batch waits for each of its messages
			l := &mixed{t: t, to: map[string]bool{}, paced: systemtest.NewPeer(t), deduplicates: deduplicates, seed: systemtest.Seed(t)}
			rng := rand.New(rand.NewPCG(l.seed, 0))
			for round := range many {
				p := startWith(t, systemtest.Binary, dir, env)
				if round == 0 {
					p.Call("PUT", p.BaseURL+"/dev/phones-options", fmt.Sprintf(`{"deduplicate":%v}`, deduplicates))
					l.addPaced(p, deduplicates)
					l.addCampaigns(p, env)
				}
				p = l.checkCampaigns(p, env, round > 0 && round%mixedSettled == 0)
				for n := range mixedPhones { // the killed process might not have stored it
					p.Call("PUT", p.BaseURL+"/dev/phones/"+fmt.Sprintf("2237903%04d", n), `{"blocked":true}`)
				}
				fault := []string{"timeout", "lost_ack"}[rng.IntN(2)]
				p.Call("PUT", p.BaseURL+"/dev/faults/"+[]string{"sms", "whatsapp"}[rng.IntN(2)], fmt.Sprintf(`{"outcome":%q,"count":%d}`, fault, 1+rng.IntN(6)))
				l.round(p, round)
			}
			p := startWith(t, systemtest.Binary, dir, env)
			l.check(l.checkCampaigns(p, env, true), many)
		})
	}
}

// addCampaigns adds a campaign whose gateway has a pace, and one whose gateway is slow, so that messages wait behind
// the window.
func (l *mixed) addCampaigns(p *systemtest.Dev, env []string) {
	l.t.Helper()
	class := history.Neither
	if l.deduplicates {
		class = history.Deduplicates
	}
	l.campaigns = []*campaign{newCampaign(p, env, "paced-campaign", "22370000078", class, "rate: 300"), newCampaign(p, env, "slow-campaign", "22370000079", class, "rate: 0")}
	l.campaigns[1].latency = 30 * time.Millisecond
	for n, c := range l.campaigns {
		c.persons = n * 500_000
	}
}

// checkCampaigns checks the campaigns after a kill. If ended is set, all of their messages must end first. It returns
// the running process.
func (l *mixed) checkCampaigns(p *systemtest.Dev, env []string, ended bool) *systemtest.Dev {
	l.t.Helper()
	if ended {
		p = l.resume(p, env)
	}
	for _, c := range l.campaigns {
		if ended {
			c.settle(p)
		}
		c.mustHold(ended)
		if ended {
			c.restart()
		}
	}
	return p
}

// resume ends the suspensions. It then starts the process again, which looks at once at the calls that a kill during a
// suspension has left without an outcome. Otherwise, that takes up to a minute.
func (l *mixed) resume(p *systemtest.Dev, env []string) *systemtest.Dev {
	l.t.Helper()
	if !slices.ContainsFunc(l.campaigns, (*campaign).isSuspended) {
		return p
	}
	for _, c := range l.campaigns {
		if c.isSuspended() && !c.setSuspended(p, false) {
			l.t.Fatalf("%s is not resumed", c.name)
		}
	}
	p.Stop()
	return startWith(l.t, systemtest.Binary, p.Dir, env)
}

// addPaced adds the paced gateway, and a sender on it.
func (l *mixed) addPaced(p *systemtest.Dev, deduplicates bool) {
	l.t.Helper()
	file := filepath.Join(l.t.TempDir(), "paced.yaml")
	settings := fmt.Sprintf(`{url: %q, headers: {X-Node: "0"}, json: {to: "{{to}}", text: "{{text}}", ref: "{{ref}}"}, id: {json: id}, deduplicates: %v, rate: 40}`, l.paced.Server.URL+"/send", deduplicates)
	if err := os.WriteFile(file, []byte(settings), 0o600); err != nil {
		l.t.Fatal(err)
	}
	p.Operator().Run("gateways", "add", "paced", "--kind", "httpsms", "--settings", file)
	l.sender = systemtest.RunJSON[messagingverbs.Sender](p.Operator(), "senders", "add", "--account", p.Accounts.Unlimited.ID, "--channel", "sms", "--address", "22370000077", "--gateway", "paced").ID
}

// phone returns the references of a person's messages, in order.
func (l *mixed) phone(p *systemtest.Dev, to string) (refs []string) {
	if to != mixedPaced {
		for _, m := range p.Phone(to) {
			refs = append(refs, m.Reference)
		}
		return refs
	}
	for _, c := range l.paced.Seen() {
		if !c.Repeated || !l.deduplicates {
			refs = append(refs, c.Ref)
		}
	}
	return refs
}

// check waits until all messages are done, and compares the accepted messages with those on the phones.
func (l *mixed) check(p *systemtest.Dev, kills int) {
	t := l.t
	t.Helper()
	place := map[string]int{} // of a message on its phone
	copies := map[string]int{}
	status, unknown := map[string]string{}, map[string]int{}
	for _, a := range l.got {
		s, code := finalStatus(p, t, a.id)
		status[a.id] = s
		switch {
		case s == "SENT", s == "DELIVERED", s == "READ":
		case s == "FAILED" && code == "outcome_unknown" && !l.deduplicates:
			status[a.id] = "UNKNOWN"
			unknown[a.to]++
		default:
			t.Errorf("%s to %s ended as %s %s", a.id, a.to, s, code)
		}
	}
	for to := range l.to {
		for n, ref := range l.phone(p, to) {
			id, _, _ := strings.Cut(ref, "-")
			if copies[id]++; copies[id] == 1 {
				place[id] = n
			}
		}
	}
	ends := map[string]string{}
	last := map[string]string{} // the message before, by recipient
	var overtaken [][2]string   // messages that follow one that was accepted later
	handed := 0
	for _, a := range l.got {
		n := copies[a.id]
		if ends[a.id] = status[a.id]; status[a.id] != "UNKNOWN" && n == 0 {
			t.Errorf("%s to %s is %s, and on no phone", a.id, a.to, status[a.id])
		}
		if n > 1 && !a.code { // a second copy of a code is harmless, but a late one isn't
			t.Errorf("%s is on a phone %d times", a.id, n)
		}
		if handed += n; n == 0 || status[a.id] == "UNKNOWN" || l.anyOrder(a.to) {
			continue
		}
		if before := last[a.to]; before != "" && place[before] > place[a.id] {
			overtaken = append(overtaken, [2]string{before, a.id})
		}
		last[a.to] = a.id
	}
	for id, n := range copies {
		if ends[id] == "" && n > 1 { // its response was lost
			t.Errorf("%s is on a phone %d times", id, n)
		}
	}
	all := 0
	for to, n := range unknown {
		if all += n; !l.anyOrder(to) && n > kills { // only one of a recipient's messages is submitted at a time
			t.Errorf("%d outcomes to %s are unknown after %d kills, want one a kill at most", n, to, kills)
		}
	}
	settled(p)
	p.Stop()
	for _, o := range overtaken { // a message that waits for another attempt, or whose outcome is unknown, doesn't block later ones
		if systemtest.CountRows(t, p.Dir, `SELECT count(*) FROM messages WHERE (timeline LIKE '%"why":"unknown"%' OR timeline LIKE '%"why":"retry"%') AND id = '`+o[0]+`'`) == 0 {
			t.Errorf("%s was accepted before %s, never waited for another try, and is behind it on the phone", o[0], o[1])
		}
	}
	if n := systemtest.CountRows(t, p.Dir, `SELECT count(*) FROM messages WHERE failure LIKE '%outcome_unknown%' AND calls = 0`); n > 0 {
		t.Errorf("%d outcomes are unknown of messages that were never begun", n)
	}
	if n := systemtest.CountRows(t, p.Dir, `SELECT count(*) FROM messages WHERE status IN ('SCHEDULED', 'QUEUED', 'SENDING')`); n > 0 {
		t.Errorf("%d messages are still on their way, want 0", n)
	}
	if bound := kills * (mixedClients + 2*mixedPhones + mixedBatch + 3); all > bound { // the window of a sender
		t.Errorf("%d outcomes are unknown after %d kills, want %d at most", all, kills, bound)
	}
	t.Logf("%d kills: %d answered, %d on phones, %d outcomes unknown", kills, len(l.got), handed, all)
	for _, c := range l.campaigns {
		t.Logf("%s: %d requests accepted, %d calls, %d canceled, %d stopped, %d suspensions, %d looks at what waits", c.name, c.count(history.Send), c.count(history.Call), c.count(history.Cancel), c.count(history.Stop),
			c.count(history.Suspend), c.count(history.Waits))
		for _, kind := range []history.Kind{history.Cancel, history.Stop, history.Suspend, history.Waits} {
			if c.count(kind) == 0 && kills >= mixedKills {
				t.Errorf("%s: no %s was acknowledged", c.name, kind)
			}
		}
	}
}

// anyOrder reports whether the order for a recipient is not guaranteed, because several clients send to it, or
// send later.
func (l *mixed) anyOrder(to string) bool {
	return !slices.Contains([]string{"22379000001", "22379040000", mixedPaced}, to)
}

// settled waits until no message is open, including those without a response.
func settled(p *systemtest.Dev) {
	p.T.Helper()
	for _, status := range []string{"SCHEDULED", "QUEUED", "SENDING"} {
		waittest.Until(p.T, func() error {
			r := p.Call("GET", p.BaseURL+"/api/svc-logs?status="+status, "", "X-API-Key: "+p.Accounts.Unlimited.LiveKey)
			if logs, ok := r.Body["logs"].([]any); !ok || len(logs) > 0 {
				return fmt.Errorf("%w: %s: %d %s", systemtest.ErrNotYet, status, r.Status, r.Raw)
			}
			return nil
		})
	}
}
