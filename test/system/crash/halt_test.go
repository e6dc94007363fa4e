package crash_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/failpoint"
	"example.com/griot/internal/waittest"
	messagingverbs "example.com/griot/messaging/verbs"
	"example.com/griot/test/system/fleet/history"
	"example.com/griot/test/system/systemtest"
)

const (
	haltCycles    = 6 // if nothing must be found
	haltCanceled  = 10
	haltStopped   = 3 // people
	haltCancelers = 8 // beside each other
)

// A message that is canceled, or whose recipient opts out or whose account is suspended, between its acceptance and its
// turn is not submitted. If a safeguard is missing, the checker finds messages that are. The sender is the platform's,
// whose worker also holds the messages of suspended accounts. The test takes as long as the commands of the operator and
// the turns of a hundred messages in each cycle.
// Rules: M57, M174, M192.
func TestHalt_BeforeTheTurn(t *testing.T) {
	t.Parallel()
	program, err := systemtest.FailpointBinary()
	if err != nil {
		t.Fatal(err)
	}
	for engine, database := range map[string]func(t *testing.T) string{
		"sqlite": func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "griot.db") }, "postgres": func(t *testing.T) string { return dbtest.PostgresURL(t) },
	} {
		for _, tt := range []struct {
			fault failpoint.Fault // "": none
			found []history.Rule  // that are violated; none: the other safeguards are enough
		}{
			{"", nil},
			{failpoint.NoTurnCheck, []history.Rule{history.RuleCanceled, history.RuleStopped, history.RuleSuspended}},
			{failpoint.NoVersion, []history.Rule{history.RuleCanceled}},
		} {
			t.Run(fmt.Sprintf("%s fault=%s", engine, tt.fault), func(t *testing.T) {
				t.Parallel()
				checkHalts(t, program, database(t), tt.fault, tt.found)
			})
		}
	}
}

func checkHalts(t *testing.T, program, database string, fault failpoint.Fault, want []history.Rule) {
	t.Helper()
	env := []string{"GRIOT_DATABASE=" + database, "GRIOT_SEND_WAIT=5ms", "TEST_FAULT=" + string(fault)}
	p := startWith(t, program, t.TempDir(), env)
	c := newCampaign(p, env, "campaign", "", history.Neither, "rate: 0")
	w := &haltWorld{c: c, p: p, rng: rand.New(rand.NewPCG(systemtest.Seed(t), 0))}
	o := p.Operator()
	o.Env = env
	other := systemtest.RunJSON[messagingverbs.Account](o, "accounts", "create", "--name", "Other", "--email", "other@example.com", "--plan", "unlimited").ID
	w.other = systemtest.RunJSON[struct{ Key string }](o, "api-keys", "create", "--account", other).Key
	if len(want) == 0 {
		for n := range haltCycles {
			w.cycle(n%2 == 0)
			c.settle(p)
			c.mustHold(true)
			c.restart()
		}
		return
	}
	missing := want
	for n, deadline := 0, time.Now().Add(waittest.Limit); len(missing) > 0; n++ {
		if time.Now().After(deadline) {
			t.Fatalf("after %d cycles, %v is not found", n, missing)
		}
		w.cycle(n%2 == 0)
		found := c.found(false)
		missing = slices.DeleteFunc(slices.Clone(want), func(r history.Rule) bool {
			return slices.ContainsFunc(found, func(f history.Finding) bool { return f.Rule == r })
		})
		if len(missing) == 0 {
			t.Logf("after %d cycles: %d violations, such as %v", n+1, len(found), found[0])
		}
	}
}

// haltWorld is a campaign whose messages are halted, and another account that uses the same sender.
type haltWorld struct {
	c     *campaign
	p     *systemtest.Dev
	rng   *rand.Rand
	other string // its key
	n     int    // of its messages
}

// cycle sends a batch to a gateway that holds its responses, so that each person's second message and those after it
// wait, and halts many of them. Then their turn comes: during a suspension, or while others are canceled.
func (w *haltWorld) cycle(suspends bool) {
	c, p := w.c, w.p
	c.t.Helper()
	release, before := c.hold(), len(c.calls())
	defer release()
	k := c.callers[0]
	if (k.n+1)%campaignSingle == 0 {
		k.n++ // a batch is next
	}
	if !k.send(p) {
		c.t.Fatal("a batch has no response")
	}
	var inProgress []string
	waittest.Until(c.t, func() error {
		if inProgress = c.calls()[before:]; len(inProgress) < campaignPersons {
			return fmt.Errorf("%w: %d calls", systemtest.ErrNotYet, len(inProgress))
		}
		return nil
	})
	for range haltCanceled {
		w.must(c.cancel(p, w.one()))
	}
	for range haltStopped {
		w.must(c.stop(p, w.one().to, false))
	}
	if suspends {
		w.must(c.setSuspended(p, true))
		for range 2 * campaignLooks {
			w.must(c.look(p, w.one().id))
		}
		release()
		w.await(inProgress)
		w.sendByOther()
		w.must(c.setSuspended(p, false))
	} else {
		var all sync.WaitGroup
		rest := make(chan waiting)
		for range haltCancelers {
			all.Go(func() {
				for one := range rest {
					c.cancel(p, one)
				}
			})
		}
		release()
		for _, one := range c.queued() {
			rest <- one
		}
		close(rest)
		all.Wait()
	}
	waittest.Until(c.t, func() error {
		if n := len(c.queued()); n > 0 {
			return fmt.Errorf("%w: %d messages wait", systemtest.ErrNotYet, n)
		}
		return nil
	})
}

func (w *haltWorld) must(answered bool) {
	w.c.t.Helper()
	if !answered {
		w.c.t.Fatal("a request has no response")
	}
}

// one returns a message that waits.
func (w *haltWorld) one() waiting {
	w.c.t.Helper()
	all := w.c.queued()
	if len(all) == 0 {
		w.c.t.Fatal("no message waits")
	}
	return all[w.rng.IntN(len(all))]
}

// await waits until messages are sent.
func (w *haltWorld) await(ids []string) {
	w.c.t.Helper()
	for _, id := range ids {
		waittest.Until(w.c.t, func() error {
			status, err := w.c.status(w.p, id)
			if err == nil && status != "SENT" {
				err = fmt.Errorf("%w: %s", systemtest.ErrNotYet, status)
			}
			return err
		})
	}
}

// sendByOther sends a message of the other account and waits until it is sent. Then the sender's worker has passed
// over the messages that came before it.
func (w *haltWorld) sendByOther() {
	w.c.t.Helper()
	w.n++
	r := w.p.Send(w.other, textTo("sms", fmt.Sprintf("22372%06d", w.n), "other", ""))
	id := r.Text("messageId")
	if id == "" {
		w.c.t.Fatalf("%d %s, want a message", r.Status, r.Raw)
	}
	w.await([]string{id})
}

// calls returns the messages with which the gateway was called.
func (c *campaign) calls() (ids []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.h {
		if e := &c.h[i]; e.Kind == history.Call {
			ids = append(ids, e.Message)
		}
	}
	return ids
}
