package api_test

import (
	"context"
	"errors"
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

const (
	portfolio = "shops"
	awaID     = "ML.9001"
	binID     = "ML.9002"
	awaLID    = "123456789@lid"
)

// hides returns a change to a message: WhatsApp reports an ID and no number.
func hides(id string) func(*gateway.Inbound) {
	return func(in *gateway.Inbound) { in.From, in.Person = "", gateway.PersonID{Portfolio: portfolio, ID: id} }
}

// shows returns a change to a message: WhatsApp reports an ID and a number.
func shows(id, number string) func(*gateway.Inbound) {
	return func(in *gateway.Inbound) {
		in.From, in.Person = number, gateway.PersonID{Portfolio: portfolio, ID: id}
	}
}

// shares returns a change to a message: the answer to a request for the number.
func shares(id, number string) func(*gateway.Inbound) {
	return func(in *gateway.Inbound) {
		hides(id)(in)
		in.Type, in.Shared, in.Text = gateway.InboundContacts, number, "Awa +"+number
	}
}

// deliver reports a message as the process's sink does: pairs are learned and used before the service gets it.
func (s *service) deliver(messageID, text string, change ...func(*gateway.Inbound)) bool {
	s.t.Helper()
	in := gateway.Inbound{ID: messageID, Gateway: receiverGateway, Channel: gateway.WhatsApp, To: receiverNumber, DisplayName: "Awa", Text: text, At: s.Clock.Now()}
	for _, c := range change {
		c(&in)
	}
	if in.From != "" && in.Source == "" {
		in.Source = gateway.NumberShown
	}
	ctx := context.Background()
	if _, err := s.Identity.Inbound(ctx, &in); err != nil {
		s.t.Fatal(err)
	}
	taken, err := s.auth.Logins.Inbound(ctx, in)
	if err != nil && !errors.Is(err, gateway.ErrForeign) {
		s.t.Fatal(err)
	}
	return taken
}

// taken delivers a message that must belong to a login, or must not.
func (s *service) taken(want bool, messageID, text string, change ...func(*gateway.Inbound)) {
	s.t.Helper()
	if got := s.deliver(messageID, text, change...); got != want {
		s.t.Errorf("message %s: taken %v, want %v", messageID, got, want)
	}
}

// state checks the status of a login and why it is held.
func (b *browser) state(loginID, status string, held any) {
	b.t.Helper()
	if m := b.poll(loginID); m["status"] != status || m["held"] != held {
		b.t.Errorf("status %v, held %v, want %s, %v", m["status"], m["held"], status, held)
	}
}

// waiting starts a LIVE login, and returns its id and words.
func (s *service) waiting() (b *browser, loginID, words string) {
	s.t.Helper()
	b = s.browser()
	loginID = b.start(s.app(tenant.Public, tenant.Live))
	return b, loginID, b.words(loginID)
}

// phones is a gateway that can ask people for their numbers.
type phones struct {
	mu    sync.Mutex
	asked []gateway.NumberRequest
	err   error
	wait  chan struct{} // nil: answers at once
}

func (p *phones) Info() gateway.Info { return gateway.Info{} }
func (p *phones) Send(context.Context, *gateway.Outbound) (gateway.Ack, error) {
	return gateway.Ack{}, errors.New("a login sends no messages")
}
func (p *phones) Close() error { return nil }

func (p *phones) AskForNumber(ctx context.Context, r *gateway.NumberRequest) (gateway.Ack, error) {
	p.mu.Lock()
	p.asked = append(p.asked, *r)
	p.mu.Unlock()
	if p.wait != nil {
		select {
		case <-p.wait:
		case <-ctx.Done():
			return gateway.Ack{}, ctx.Err()
		}
	}
	return gateway.Ack{ProviderID: "wamid.q"}, p.err
}

func (p *phones) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.asked)
}

// asking starts a service that asks for numbers.
func asking(t *testing.T, d *db.DB, change ...func(*auth.Options)) (*service, *phones) {
	t.Helper()
	p := &phones{}
	s := newService(t, d, append([]func(*auth.Options){func(o *auth.Options) {
		o.AskForNumber = func() bool { return true }
		o.Gateways.Put(receiverGateway, p)
	}}, change...)...)
	waittest.Run(t, s.auth.MessageTask().Run)
	return s, p
}

// requested waits until the page of a login offers the button.
func (b *browser) requested(loginID string) {
	b.t.Helper()
	waittest.Eventually(b.t, any("number_requested"), func() any { return b.poll(loginID)["held"] })
}

// Rules: L199.
func TestHeld_WordsWithoutANumber(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		b, loginID, words := s.waiting()
		before := b.poll(loginID)
		if _, ok := before["held"]; ok {
			t.Errorf("a login that isn't held has the member: %v", before)
		}
		for range 3 { // the provider delivers the message again
			s.taken(true, "m1", "Bonjour: "+words, hides(awaID))
			b.state(loginID, "PENDING", "number_hidden")
		}
		s.taken(true, "m2", words, hides(awaID))
		after := b.poll(loginID)
		delete(after, "held")
		if fmt.Sprint(after) != fmt.Sprint(before) {
			t.Errorf("the status of a held login is %v, want %v", after, before)
		}
		b.post("/authorize/activate", map[string]any{"loginKeyId": loginID}).want(t, 201)
		b.state(loginID, "ACTIVATED", "number_hidden")
		if n := s.count(`SELECT count(*) FROM audit_events WHERE type = 'login.held' AND login_id = $1 AND phone IS NULL`, loginID); n != 1 {
			t.Errorf("%d events, want one", n)
		}
		s.Clock.Advance(90 * time.Second)
		b.state(loginID, "EXPIRED", nil)
		s.taken(false, "m3", words, hides(awaID)) // goes on to the inbox
		if n := s.count(`SELECT count(*) FROM profiles`); n != 0 {
			t.Errorf("%d profiles, want none", n)
		}
		s.taken(false, "m4", "How much is it?", hides(awaID))
	})
}

// The person who holds a login can prove it with a message that shows the number.
// Rules: L201, L206.
func TestHeld_ThenShown(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		b, loginID, words := s.waiting()
		s.taken(true, "m1", words, hides(awaID))
		s.taken(true, "m2", words, shows(awaID, alice))
		b.state(loginID, "VERIFIED", nil)
		s.taken(true, "m1", words, hides(awaID)) // duplicates
		s.taken(true, "m3", words, shows(awaID, alice))
		b.state(loginID, "VERIFIED", nil)
		if n := s.count(`SELECT count(*) FROM login_proofs WHERE source = 'shown' AND message_id = 'm2'`); n != 1 {
			t.Errorf("%d proofs that were shown, want one", n)
		}
		if n := s.count(`SELECT count(*) FROM audit_events WHERE type = 'login.verified' AND source IS NOT NULL`); n != 0 {
			t.Error("a shown number has a source in the event")
		}
	})
}

// A pair signs in, and a pair that ended meanwhile holds.
// Rules: L200, L206.
func TestHeld_Paired(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, authtest.Loopback)
		s.adminWebhook("set", map[string]any{"url": authtest.NewReceiver(t).URL})
		s.taken(false, "m0", "Hello", shows(awaID, alice))
		b, loginID, words := s.waiting()
		s.taken(true, "m1", words, hides(awaID))
		b.state(loginID, "VERIFIED", nil)
		for query, want := range map[string]int{
			`SELECT count(*) FROM login_proofs WHERE source = 'paired'`:                                                               1,
			`SELECT count(*) FROM audit_events WHERE type = 'login.verified' AND source = 'paired'`:                                   1,
			`SELECT count(*) FROM tenant_hook_events WHERE body LIKE '%"numberSource":"paired"%'`:                                     1,
			`SELECT count(*) FROM tenant_hook_events WHERE body LIKE '%numberSource%' AND body NOT LIKE '%"event":"login.verified"%'`: 0,
		} {
			if n := s.count(query); n != want {
				t.Errorf("%s: %d, want %d", query, n, want)
			}
		}

		b, loginID, words = s.waiting()
		in := gateway.Inbound{ID: "m2", Gateway: receiverGateway, Channel: gateway.WhatsApp, To: receiverNumber, Text: words, At: s.Clock.Now(), Person: gateway.PersonID{Portfolio: portfolio, ID: awaID}}
		if _, err := s.Identity.Inbound(t.Context(), &in); err != nil || in.From != alice {
			t.Fatalf("the pair gives %q, %v", in.From, err)
		}
		if done, err := s.Identity.Withdraw(t.Context(), portfolio, awaID, alice, func(*db.Tx) error { return nil }); err != nil || !done {
			t.Fatal(done, err)
		}
		if taken, err := s.auth.Logins.Inbound(t.Context(), in); err != nil || !taken {
			t.Errorf("taken %v, %v", taken, err)
		}
		b.state(loginID, "PENDING", "number_hidden")
	})
}

// A gateway that reports a number as paired but no ID with it proves nothing: there is nothing to check. The message goes
// on to the inbox.
func TestHeld_PairedWithoutAnID(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		b, loginID, words := s.waiting()
		in := gateway.Inbound{
			ID: "m1", Gateway: receiverGateway, Channel: gateway.WhatsApp, To: receiverNumber, Text: words, At: s.Clock.Now(), From: alice, Source: gateway.NumberPaired,
			Person: gateway.PersonID{Portfolio: portfolio},
		}
		if taken, err := s.auth.Logins.Inbound(t.Context(), in); err != nil || taken {
			t.Errorf("taken %v, %v, want it to go on", taken, err)
		}
		b.state(loginID, "PENDING", nil)
		in.Source, in.ID = gateway.NumberShown, "m2"
		if taken, err := s.auth.Logins.Inbound(t.Context(), in); err != nil || !taken {
			t.Errorf("with a shown number: taken %v, %v", taken, err)
		}
		b.state(loginID, "VERIFIED", nil)
	})
}

// Someone was tricked if two people send the words of a login.
// Rules: L201.
func TestHeld_SecondPerson(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		for name, second := range map[string]func(*gateway.Inbound){
			"another ID":                       hides(binID),
			"the same ID in another portfolio": func(in *gateway.Inbound) { hides(awaID)(in); in.Person.Portfolio = "banks" },
			"a number without an ID":           func(in *gateway.Inbound) { in.From = bob },
			"a number with another ID":         shows(binID, bob),
		} {
			b, loginID, words := s.waiting()
			s.taken(true, name+"1", words, hides(awaID))
			s.taken(true, name+"2", words, second)
			if m := b.poll(loginID); m["status"] != "EXPIRED" || m["endedBy"] != "second_phone" {
				t.Errorf("%s: %v, want EXPIRED by second_phone", name, m)
			}
		}
		b, loginID, words := s.waiting()
		s.taken(true, "n1", words, func(in *gateway.Inbound) { in.From = alice })
		s.taken(true, "n2", words, hides("ML.77"))
		if m := b.poll(loginID); m["status"] != "EXPIRED" || m["endedBy"] != "second_phone" {
			t.Errorf("proved, then another ID: %v, want EXPIRED by second_phone", m)
		}
	})
}

// Two people at the same time never both get anything from one login.
// Rules: L201.
func TestHeld_AtOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		for i := range 5 {
			b, loginID, words := s.waiting()
			var both sync.WaitGroup
			both.Go(func() { s.deliver(fmt.Sprint("a", i), words, hides(awaID)) })
			both.Go(func() { s.deliver(fmt.Sprint("b", i), words, func(in *gateway.Inbound) { in.From = bob }) })
			both.Wait()
			if m := b.poll(loginID); m["status"] != "EXPIRED" || m["endedBy"] != "second_phone" {
				t.Errorf("%v, want EXPIRED by second_phone", m)
			}
		}
	})
}

// Rules: L202.
func TestHeld_Cancel(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		b, loginID, words := s.waiting()
		other, otherID, otherWords := s.waiting()
		s.taken(false, "c0", "STOP", hides(awaID)) // nothing to cancel: it is an opt-out
		s.taken(true, "m1", words, hides(awaID))
		s.taken(true, "m2", otherWords, hides(binID))
		s.taken(true, "c1", "Non!", hides(awaID))
		if m := b.poll(loginID); m["status"] != "EXPIRED" || m["endedBy"] != "person" {
			t.Errorf("%v, want EXPIRED by person", m)
		}
		other.state(otherID, "PENDING", "number_hidden")
		s.taken(true, "c1", "Non!", hides(awaID)) // again
		s.taken(false, "c2", "Non!", func(in *gateway.Inbound) { hides(binID)(in); in.Person.Portfolio = "banks" })
		s.taken(false, "c3", "Non!", func(in *gateway.Inbound) { hides("not an ID")(in) })
		other.state(otherID, "PENDING", "number_hidden")
		s.taken(false, "c4", "Hi", shows(binID, bob))
		s.taken(true, "c5", "STOP", hides(binID)) // now with a paired number
		other.state(otherID, "EXPIRED", nil)
	})
}

// A thousand people without a number are a thousand people.
// Rules: L199.
func TestHeld_LimitsOfEachPerson(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), withLimits)
	b, loginID, words := s.waiting()
	for i := range 1000 {
		s.taken(false, fmt.Sprint("g", i), "montagne riviere girafe", hides(fmt.Sprint("ML.", i)))
	}
	for i := range 6 {
		s.taken(false, fmt.Sprint("w", i), "montagne riviere girafe", hides(binID))
	}
	s.taken(false, "w", words, hides(binID)) // too many wrong words
	s.taken(false, "x", words, func(in *gateway.Inbound) { in.From = "" })
	b.state(loginID, "PENDING", nil)
	s.taken(true, "m1", words, hides(awaID))
	b.state(loginID, "PENDING", "number_hidden")
}

// The message arrives at one node, and the page polls another.
// Rules: L199, L205.
func TestHeld_OnAnotherNode(t *testing.T) {
	d := dbtest.Postgres(t)
	node := func(o *auth.Options) { o.Now = time.Now } //nolint:forbidigo // two nodes have the machine's clock
	s := newService(t, d, node)
	other := newService(t, d, node)
	waittest.Run(t, s.run)
	waittest.Run(t, other.run)
	b, loginID, words := other.waiting()
	b.state(loginID, "PENDING", nil)
	if !s.deliver("u1", "", hides(binID), func(in *gateway.Inbound) { in.Type, in.At = gateway.InboundOther, time.Now() }) { //nolint:forbidigo // as above
		waittest.Eventually(t, any("message_unreadable"), func() any { return b.poll(loginID)["held"] })
	}
	s.taken(true, "m1", words, hides(awaID))
	waittest.Eventually(t, any("number_hidden"), func() any { return b.poll(loginID)["held"] })
}

// Rules: L203, L204, L206.
func TestAsk_FromStartToToken(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s, p := asking(t, d)
		a := s.app(tenant.Public, tenant.Live)
		b := s.browser()
		loginID := b.start(a)
		words := b.words(loginID)
		for range 3 {
			s.taken(true, "m1", words, hides(awaID))
		}
		b.requested(loginID)
		s.taken(true, "m2", words, hides(awaID))
		r := p.asked[0]
		if r.From != receiverNumber || r.ToID != awaID || !strings.Contains(r.Text, authtest.TenantName) || !strings.Contains(r.Text, "tap the button") {
			t.Errorf("asked %+v", r)
		}
		s.Clock.Advance(10 * time.Second)
		s.taken(true, "m3", "", shares(awaID, alice))
		s.taken(true, "m3", "", shares(awaID, alice)) // again
		s.taken(true, "m4", "", shares(awaID, alice)) // a second tap
		if n := p.count(); n != 1 {
			t.Errorf("asked %d times, want once", n)
		}
		m := s.redeemed(a, b.code(loginID)).json(t)
		profile, _ := m["profile"].(map[string]any)
		if profile["phone_e164"] != alice {
			t.Errorf("the token is of %v, want %s", profile["phone_e164"], alice)
		}
		for query, want := range map[string]int{
			`SELECT count(*) FROM login_proofs WHERE source = 'shared' AND message_id = 'm3'`:                       1,
			`SELECT count(*) FROM audit_events WHERE type = 'login.verified' AND source = 'shared'`:                 1,
			`SELECT count(*) FROM audit_events WHERE type = 'login.number_requested' AND result = 'ok'`:             1,
			`SELECT count(*) FROM whatsapp_ids WHERE id = 'ML.9001' AND source = 'shared' AND withdrawn_at IS NULL`: 1,
		} {
			if n := s.count(query); n != want {
				t.Errorf("%s: %d, want %d", query, n, want)
			}
		}
		b2, secondID, words := s.waiting() // the pair is known from now on
		s.taken(true, "m5", words, hides(awaID))
		b2.state(secondID, "VERIFIED", nil)
	})
}

// Each of these is not a proof: nobody is signed in, and no pair is used.
// Rules: L204.
func TestAsk_Attacks(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		for name, attack := range map[string]struct {
			before func(s *service) // the words arrive
			answer func(*gateway.Inbound)
			taken  bool
			off    bool // the setting
			silent bool // no request was made
		}{
			"another ID's card":            {answer: shares(binID, bob)},
			"a forwarded card":             {answer: func(in *gateway.Inbound) { shares(awaID, bob)(in); in.Shared = "" }},
			"a vCard":                      {answer: func(in *gateway.Inbound) { hides(awaID)(in); in.Type, in.Text = gateway.InboundContacts, "Bob +"+bob }},
			"a username":                   {answer: func(in *gateway.Inbound) { hides(awaID)(in); in.Person.Username = bob }},
			"a text":                       {answer: func(in *gateway.Inbound) { shares(awaID, bob)(in); in.Type = gateway.InboundText }},
			"another portfolio":            {answer: func(in *gateway.Inbound) { shares(awaID, bob)(in); in.Person.Portfolio = "banks" }},
			"only a parent's ID":           {answer: func(in *gateway.Inbound) { shares(awaID, bob)(in); in.Person.ID, in.Person.ParentID = "", awaID }},
			"another gateway":              {answer: func(in *gateway.Inbound) { shares(awaID, bob)(in); in.Gateway = "other" }},
			"an SMS":                       {answer: func(in *gateway.Inbound) { shares(awaID, bob)(in); in.Channel = gateway.SMS }},
			"not a number":                 {answer: shares(awaID, "0"), taken: true},
			"another number than it shows": {answer: func(in *gateway.Inbound) { shares(awaID, bob)(in); in.From = alice }, taken: true},
			"without a request":            {answer: shares(awaID, bob), silent: true},
			"the setting is off":           {answer: shares(awaID, bob), off: true, before: func(s *service) { s.Exec(s.t, `UPDATE login_sessions SET asked_at = created_at`) }},
			"after the login's end":        {answer: func(in *gateway.Inbound) { shares(awaID, bob)(in) }, before: func(s *service) { s.Clock.Advance(91 * time.Second) }},
			"a conflict with a known pair": {answer: shares(awaID, bob), taken: true, before: func(s *service) { s.learn(awaID, alice) }},
			"a recycled number": {
				taken: true, answer: func(in *gateway.Inbound) { shares(awaID, bob)(in); in.At = in.At.Add(-time.Second) },
				before: func(s *service) { s.learn(binID, bob) },
			},
			"an ID whose pair was withdrawn by a change": {taken: true, answer: func(in *gateway.Inbound) { shares(awaID, alice)(in); in.At = in.At.Add(-time.Second) }, before: func(s *service) {
				s.learn(awaID, alice)
				s.Clock.Advance(time.Second)
				if _, err := s.Identity.Change(context.Background(), &gateway.Change{Kind: gateway.NumberChanged, OldNumber: alice, OldID: awaID, Person: gateway.PersonID{Portfolio: portfolio, ID: "ML.7"}, At: s.Clock.Now()}); err != nil {
					s.t.Error(err)
				}
			}},
			"a LID with two numbers": {taken: true, answer: shares(awaID, bob), before: func(s *service) { s.learn(awaID, alice); s.learn(awaID, "22376000009") }},
		} {
			t.Run(name, func(t *testing.T) {
				s, _ := asking(t, d, func(o *auth.Options) { o.AskForNumber = func() bool { return !attack.off } })
				s.Exec(t, `DELETE FROM whatsapp_ids`)
				s.Exec(t, `DELETE FROM profiles`)
				s.Exec(t, `DELETE FROM login_sessions`)
				if attack.silent {
					s.Gateways.Remove(receiverGateway)
				}
				b, loginID, words := s.waiting()
				s.taken(true, name+"1", words, hides(awaID))
				if attack.off || attack.silent {
					b.state(loginID, "PENDING", "number_hidden")
				} else {
					b.requested(loginID)
				}
				if attack.before != nil {
					attack.before(s)
				}
				s.in(t).taken(attack.taken, name+"2", "Bob +"+bob, attack.answer)
				if m := b.poll(loginID); m["status"] != "PENDING" && name != "after the login's end" {
					t.Errorf("the login is %v, want PENDING", m)
				}
				if n := s.count(`SELECT count(*) FROM profiles`); n != 0 {
					t.Errorf("%d people were signed in", n)
				}
			})
		}
	})
}

// learn reports a message with a number and an ID.
func (s *service) learn(id, number string) {
	s.t.Helper()
	in := gateway.Inbound{From: number, Person: gateway.PersonID{Portfolio: portfolio, ID: id}, At: s.Clock.Now()}
	if _, err := s.Identity.Inbound(context.Background(), &in); err != nil {
		s.t.Error(err)
	}
}

// A number that contradicts the known one is stored and audited, although nobody is signed in.
// Rules: L204.
func TestAsk_Conflict(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s, _ := asking(t, d)
		b, loginID, words := s.waiting()
		s.taken(true, "m1", words, hides(awaID))
		b.requested(loginID)
		s.learn(awaID, alice)
		for range 2 {
			s.taken(true, "m2", "", shares(awaID, bob))
		}
		b.state(loginID, "PENDING", "number_requested")
		if n := s.count(`SELECT count(*) FROM audit_events WHERE type = 'whatsapp_id.conflict' AND phone = '+223*****109' AND actor = 'gateway:wa'`); n != 1 {
			t.Errorf("%d events of the conflict, want one", n)
		}
		if n := s.count(`SELECT count(*) FROM whatsapp_ids WHERE id = 'ML.9001' AND withdrawn_at IS NULL`); n != 2 {
			t.Errorf("%d pairs, want both", n)
		}
	})
}

// The pair of a LID that wasn't confirmed for 30 days doesn't stand against the number that its owner shares.
// Rules: L204.
func TestAsk_StaleLID(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s, _ := asking(t, d)
		s.learn(awaLID, alice)
		s.Clock.Advance(30 * 24 * time.Hour)
		b, loginID, words := s.waiting()
		s.taken(true, "m1", words, hides(awaLID))
		b.requested(loginID)
		s.taken(true, "m2", "", shares(awaLID, bob))
		b.state(loginID, "VERIFIED", nil)
	})
}

// Requests cost money: a person gets one for a login, one in a minute, and three in an hour.
// Rules: L203.
func TestAsk_Bounds(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s, p := asking(t, d)
		begin := func(id string) (b *browser, loginID string) {
			b, loginID, words := s.waiting()
			s.taken(true, loginID, words, hides(id))
			return b, loginID
		}
		ask := func(id string) { b, loginID := begin(id); b.requested(loginID) }
		ask(awaID)
		ask(binID)
		s.Clock.Advance(59 * time.Second)
		silent, silentID := begin(awaID)
		ask("ML.3") // requests are made in their order
		silent.state(silentID, "PENDING", "number_hidden")
		for range 2 {
			s.Clock.Advance(61 * time.Second)
			ask(awaID)
		}
		s.Clock.Advance(61 * time.Second)
		silent, silentID = begin(awaID)
		ask("ML.4")
		silent.state(silentID, "PENDING", "number_hidden")
		s.Clock.Advance(time.Hour)
		ask(awaID)
		late, lateID, words := s.waiting()
		s.Clock.Advance(71 * time.Second)
		s.taken(true, "late", words, hides("ML.5"))
		ask("ML.6")
		late.state(lateID, "PENDING", "number_hidden") // not worth its price
		if n := p.count(); n != 8 {
			t.Errorf("asked %d times, want 8", n)
		}
	})
}

// A request that was refused, or whose outcome is unknown, isn't repeated. The page offers the button only if it might
// be there. The driver's call waits for no request.
// Rules: L203.
func TestAsk_Outcomes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		for i, outcome := range []struct {
			err  error
			held string
		}{
			{&gateway.Error{Class: gateway.Permanent, Code: "recipient_invalid"}, "number_hidden"},
			{&gateway.Error{Class: gateway.Unknown, Code: "timeout"}, "number_requested"},
			{errors.New("lost"), "number_requested"},
		} {
			s, p := asking(t, d)
			p.err, p.wait = outcome.err, make(chan struct{})
			b, loginID, words := s.waiting()
			id := fmt.Sprint("ML.10", i)
			s.taken(true, id, words, hides(id))
			waittest.Eventually(t, 1, p.count)
			b.state(loginID, "PENDING", "number_hidden")
			close(p.wait)
			waittest.Eventually(t, 1, func() int {
				return s.count(`SELECT count(*) FROM audit_events WHERE type = 'login.number_requested' AND login_id = $1`, loginID)
			})
			s.taken(true, id+"again", words, hides(id))
			b.state(loginID, "PENDING", outcome.held)
			if n := p.count(); n != 1 {
				t.Errorf("asked %d times, want once", n)
			}
			s.taken(true, id+"shared", "", shares(id, alice)) // it did arrive
			b.state(loginID, "VERIFIED", nil)
		}
	})
}

// Pages say that a message couldn't be read, and name nobody.
// Rules: L205.
func TestUnreadable(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, withLimits)
		b, loginID, words := s.waiting()
		s.Clock.Advance(time.Second)
		unsupported := func(in *gateway.Inbound) { in.Type, in.Text = gateway.InboundOther, "" }
		s.taken(false, "u0", "", unsupported) // from nobody
		s.taken(false, "u1", "", func(in *gateway.Inbound) { unsupported(in); in.From, in.Gateway = bob, "other" }, func(*gateway.Inbound) {})
		b.state(loginID, "PENDING", nil)
		s.taken(false, "u2", "", func(in *gateway.Inbound) { unsupported(in); in.From = bob })
		b.state(loginID, "PENDING", "message_unreadable")
		b.state(loginID, "PENDING", "message_unreadable")
		later, laterID, _ := s.waiting()
		later.state(laterID, "PENDING", nil)
		s.Clock.Advance(3 * time.Second)
		taken, err := s.auth.Logins.Change(t.Context(), gateway.Change{Gateway: receiverGateway, Channel: gateway.WhatsApp, Kind: gateway.MessageUnreadable, To: receiverNumber, Person: gateway.PersonID{Portfolio: portfolio, ID: awaID}})
		if err != nil || !taken {
			t.Errorf("taken %v, %v", taken, err)
		}
		later.state(laterID, "PENDING", "message_unreadable")
		s.taken(true, "m1", words, hides(awaID))
		b.state(loginID, "PENDING", "number_hidden")
		if n := s.count(`SELECT count(*) FROM login_unreadable`); n != 1 {
			t.Errorf("%d marks, want one", n)
		}
		for i := range 6 { // one person can't do this forever
			s.Clock.Advance(3 * time.Second)
			s.taken(false, fmt.Sprint("v", i), "", func(in *gateway.Inbound) { unsupported(in); in.From = bob })
		}
		last, lastID, _ := s.waiting()
		s.Clock.Advance(3 * time.Second)
		s.taken(false, "v", "", func(in *gateway.Inbound) { unsupported(in); in.From = bob })
		last.state(lastID, "PENDING", nil)
	})
}

// The pages say why they still wait and what to do next, in both languages, with and without scripts. The words stay
// visible.
// Rules: L199.
func TestHeld_Pages(t *testing.T) {
	s, _ := asking(t, dbtest.SQLite(t))
	for lang, says := range map[string][2]string{
		"en": {"WhatsApp doesn’t show us your number. We sent you a message", "A message could not be read. If you have sent the words"},
		"fr": {"WhatsApp ne nous montre pas votre numéro. Nous vous avons envoyé", "Un message n’a pas pu être lu. Si vous avez envoyé"},
	} {
		b := s.browser()
		b.lang = lang
		loginID := b.start(s.app(tenant.Public, tenant.Live))
		words := b.words(loginID)
		show := func(want string) {
			t.Helper()
			for _, path := range []string{"/waiting.html", "/authorize/page"} {
				page := b.send(b.request("GET", path+"?loginKeyId="+loginID, ""))
				body := string(page.body)
				if !strings.Contains(body, strings.Fields(words)[0]) || want != "" && !strings.Contains(body, `role="status">`+want) {
					t.Errorf("%s in %s: %s, want %q and the words", path, lang, body, want)
				}
				if strings.Contains(body, `id="held" class="note held" role="status">`) != (want != "") {
					t.Errorf("%s in %s shows that the login is held: want %v", path, lang, want != "")
				}
			}
		}
		show("")
		s.Clock.Advance(3 * time.Second)
		s.taken(false, "u"+lang, "", func(in *gateway.Inbound) { in.Type, in.From = gateway.InboundOther, bob })
		show(says[1])
		s.taken(true, "m"+lang, words, hides("ML."+lang))
		b.requested(loginID)
		show(says[0])
	}
}
