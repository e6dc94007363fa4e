package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

// Hundreds of people sign in at the same time, each to one of three applications. No
// one gets another person's words, code, token, or profile, regardless of the channel
// of the message.
// Rules: L12.
func TestMany_NoCrossTalk(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		s.http.Transport = &http.Transport{MaxIdleConnsPerHost: atOnce}
		apps := []app{s.app(tenant.Public, tenant.Test), s.app(tenant.Confidential, tenant.Live), s.app(tenant.Public, tenant.Live)}
		people := make([]*person, 240)
		all := func(do func(p *person)) {
			var wg sync.WaitGroup
			slots := make(chan struct{}, atOnce)
			for _, p := range people {
				slots <- struct{}{}
				wg.Go(func() {
					defer func() { <-slots }()
					do(p)
				})
			}
			wg.Wait()
		}
		for i := range people {
			people[i] = &person{app: apps[i%len(apps)], browser: s.browser(), number: fmt.Sprintf("22376%06d", i), message: fmt.Sprint("m", i), byMessage: i%2 == 1}
		}
		all((*person).begin)
		distinct(t, people, "words", func(p *person) string { return p.words })
		distinct(t, people, "login", func(p *person) string { return p.loginID })
		all((*person).sendWords)
		all(func(p *person) { p.secret = p.browser.code(p.loginID) })
		distinct(t, people, "code", func(p *person) string { return p.secret })
		all((*person).redeem)
		distinct(t, people, "token", func(p *person) string { return p.token })
		distinct(t, people, "subject", func(p *person) string { return p.subject })
	})
}

const atOnce = 32

type person struct {
	app             app
	browser         *browser
	number, message string
	byMessage       bool // otherwise by /internal/verify
	loginID, words  string
	secret          string
	token, subject  string
}

func (p *person) begin() {
	p.loginID = p.browser.start(p.app)
	p.words = p.browser.words(p.loginID)
}

func (p *person) sendWords() {
	b := p.browser
	if !p.byMessage {
		checkProved(b.t, b.verify(b.proof(p.loginID, p.message, p.number, p.words)), false)
		return
	}
	if !b.message(p.message, p.number, strings.ToUpper(p.words)+" !") {
		b.t.Errorf("the message of %s was not taken", p.number)
	}
}

func (p *person) redeem() {
	b := p.browser
	got := b.exchange("/token", exchange(p.app, p.secret))
	if got.status != http.StatusCreated {
		b.t.Errorf("%d %s", got.status, got.body)
		return
	}
	m := got.json(b.t)
	profile, _ := m["profile"].(map[string]any)
	if profile["phone_e164"] != p.number || profile["mode"] != string(p.app.Mode) {
		b.t.Errorf("%s got %v", p.number, profile)
	}
	p.token, p.subject = text(b.t, m, "token"), text(b.t, m, "subject")
}

func distinct(t *testing.T, people []*person, what string, of func(p *person) string) {
	t.Helper()
	seen := map[string]bool{}
	for _, p := range people {
		if v := of(p); v == "" || seen[v] {
			t.Errorf("%s %q is missing or another's too", what, v)
		}
		seen[of(p)] = true
	}
}
