package api_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/griot/auth"
	"example.com/griot/auth/authtest"
	"example.com/griot/auth/tenant"
	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/waittest"
)

// replier is a gateway that takes replies.
type replier struct {
	phones
	sending sync.Mutex
	replies []gateway.Outbound
	failure error
	hangs   bool // until the call is given up
}

func (r *replier) Send(ctx context.Context, out *gateway.Outbound) (gateway.Ack, error) {
	r.sending.Lock()
	r.replies = append(r.replies, *out)
	r.sending.Unlock()
	if r.hangs {
		<-ctx.Done()
		return gateway.Ack{}, ctx.Err()
	}
	return gateway.Ack{ProviderID: "wamid.r"}, r.failure
}

func (r *replier) sent() []gateway.Outbound {
	r.sending.Lock()
	defer r.sending.Unlock()
	return append([]gateway.Outbound{}, r.replies...)
}

// wait waits for a number of replies.
func (r *replier) wait(t *testing.T, n int) {
	t.Helper()
	waittest.Eventually(t, n, func() int { return len(r.sent()) })
}

// replying starts a service that replies to people who have signed in.
func replying(t *testing.T, d *db.DB, change ...func(*auth.Options)) (*service, *replier) {
	t.Helper()
	r := &replier{}
	s := newService(t, d, append([]func(*auth.Options){func(o *auth.Options) {
		o.ConfirmSignIn = func() bool { return true }
		o.Gateways.Put(receiverGateway, r)
	}}, change...)...)
	waittest.Run(t, s.auth.MessageTask().Run)
	return s, r
}

// sender returns a change to a message: it shows this number.
func sender(number string) func(*gateway.Inbound) {
	return func(in *gateway.Inbound) { in.From = number }
}

// repliedTo returns the number of logins that are marked.
func (s *service) repliedTo() int {
	return s.count(`SELECT count(*) FROM login_sessions WHERE replied_at IS NOT NULL`)
}

// Rules: L209.
func TestReply_ToTheSenderOfTheProof(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s, r := replying(t, d)
		for i, want := range []struct {
			lang, text string
			mode       tenant.Mode
		}{
			{"en", "You are signed in to " + authtest.TenantName + " (", tenant.Live},
			{"fr", "Vous êtes connecté à " + authtest.TenantName + " (", tenant.Live},
			{"en", "reply CANCEL", tenant.Test},
		} {
			b := s.browser()
			b.lang = want.lang
			loginID := b.start(s.app(tenant.Public, want.mode))
			s.taken(true, fmt.Sprint("m", i), b.words(loginID), sender(alice))
			b.state(loginID, "VERIFIED", nil)
			r.wait(t, i+1)
			got := r.sent()[i]
			if got.Channel != gateway.WhatsApp || got.From != receiverNumber || got.To != alice || got.ToID != "" || !strings.Contains(got.Text, want.text) {
				t.Errorf("replied %+v, want %q to %s", got, want.text, alice)
			}
		}
		// The reply says how to cancel.
		if !s.deliver("c", "CANCEL", sender(alice)) {
			t.Error("CANCEL was not taken")
		}
	})
}

// Requests for numbers don't wait for replies to a provider that hangs.
func TestReply_DelaysNoRequest(t *testing.T) {
	s, r := replying(t, dbtest.SQLite(t), func(o *auth.Options) { o.AskForNumber = func() bool { return true } })
	r.hangs = true
	public := s.app(tenant.Public, tenant.Live)
	for i := range 8 {
		b := s.browser()
		s.taken(true, fmt.Sprint("m", i), b.words(b.start(public)), sender(alice))
	}
	r.wait(t, 2)
	b := s.browser()
	s.taken(true, "held", b.words(b.start(public)), hides(binID))
	waittest.Eventually(t, 1, r.count)
	if n := len(r.sent()); n != 2 {
		t.Errorf("%d replies were called, want 2 that hang", n)
	}
}

// A tenant's name can't put a link into a message from the login number.
func TestReply_WithoutLinks(t *testing.T) {
	s, r := replying(t, dbtest.SQLite(t))
	s.Exec(t, `UPDATE tenants SET name = 'Urgent: www.evil.example/bank'`)
	b := s.browser()
	s.taken(true, "m", b.words(b.start(s.app(tenant.Public, tenant.Live))), sender(alice))
	r.wait(t, 1)
	if text := r.sent()[0].Text; strings.Contains(text, "evil") || !strings.Contains(text, "signed in to app.example (app.example)") {
		t.Errorf("replied %q", text)
	}
}

// A message that hides the number gets the reply where it came from.
// Rules: L209.
func TestReply_ToAHiddenNumber(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s, r := replying(t, d)
		s.learn(awaID, alice)
		b, loginID, words := s.waiting()
		s.taken(true, "m1", words, hides(awaID))
		b.state(loginID, "VERIFIED", nil)
		r.wait(t, 1)
		if got := r.sent()[0]; got.To != "" || got.ToID != awaID {
			t.Errorf("replied %+v, want to %s", got, awaID)
		}
	})
}

// The message arrives again and again, on two nodes at the same time.
// Rules: L209.
func TestReply_Once(t *testing.T) {
	d := dbtest.Postgres(t)
	node := func(o *auth.Options) { o.Now = time.Now } //nolint:forbidigo // two nodes have the machine's clock
	s, r := replying(t, d, node)
	other, r2 := replying(t, d, node)
	for i := range 5 {
		_, _, words := s.waiting()
		var both sync.WaitGroup
		for _, n := range []*service{s, other, s, other} {
			both.Go(func() { n.deliver(fmt.Sprint("m", i), words, sender(alice)) })
		}
		both.Wait()
		s.taken(true, fmt.Sprint("again", i), words, sender(alice))
	}
	waittest.Eventually(t, 5, s.repliedTo)
	waittest.Eventually(t, 5, func() int { return len(r.sent()) + len(r2.sent()) })
	refs := map[string]bool{}
	for _, out := range append(r.sent(), r2.sent()...) {
		refs[out.Ref] = true
	}
	if len(refs) != 5 {
		t.Errorf("%d logins got the replies, want 5", len(refs))
	}
}

// Rules: L209.
func TestReply_None(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		on := true
		s, r := replying(t, d, func(o *auth.Options) { o.ConfirmSignIn = func() bool { return on } })

		test := s.browser()
		test.sandbox(test.start(s.app(tenant.Public, tenant.Test)), "22300000001").want(t, 201)

		_, verified, words := s.waiting() // by another program
		s.verify(s.proof(verified, "v1", alice, words)).want(t, 201)

		s.taken(false, "m1", "montagne riviere girafe", sender(bob))

		held, heldID, words := s.waiting()
		s.taken(true, "m2", words, hides(binID))
		held.state(heldID, "PENDING", "number_hidden")

		on = false
		_, _, words = s.waiting()
		s.taken(true, "m3", words, sender(alice))
		on = true
		s.Clock.Advance(61 * time.Second)
		s.taken(true, "m3", words, sender(alice)) // delivered again, too late for news

		on = false
		_, _, words = s.waiting()
		s.taken(true, "m4", words, sender(alice))
		s.taken(true, "m5", "STOP", sender(alice))
		on = true
		s.deliver("m4", words, sender(alice)) // of a login that has ended

		_, _, words = s.waiting()
		s.taken(true, "m6", words, sender(bob))
		r.wait(t, 1)
		if got := r.sent()[0]; got.To != bob || s.repliedTo() != 1 {
			t.Errorf("replied %+v to %d logins, want only %s", got, s.repliedTo(), bob)
		}
	})
}

// A reply that is refused, or never ends, or has no gateway, delays no login and ends none.
// Rules: L209.
func TestReply_FailuresChangeNothing(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		for name, breaks := range map[string]func(*service, *replier){
			"refused":    func(_ *service, r *replier) { r.failure = &gateway.Error{Class: gateway.Permanent, Code: "blocked"} },
			"hanging":    func(_ *service, r *replier) { r.hangs = true },
			"no gateway": func(s *service, _ *replier) { s.Gateways.Remove(receiverGateway) },
		} {
			t.Run(name, func(t *testing.T) {
				s, r := replying(t, d)
				breaks(s, r)
				for i := range 10 { // more than there are calls at the same time
					a := s.app(tenant.Public, tenant.Live)
					b := s.browser()
					loginID := b.start(a)
					s.taken(true, fmt.Sprint(name, i), b.words(loginID), sender(alice))
					s.in(t).redeemed(a, b.code(loginID))
				}
				if name == "refused" {
					r.wait(t, 10)
					s.deliver(name+"0", "again", sender(alice))
					if n := len(r.sent()); n != 10 {
						t.Errorf("%d calls, want one for each login", n)
					}
				}
			})
		}
	})
}
