package operator

import (
	"maps"
	"net/url"
	"slices"
	"sync"
	"time"

	"example.com/griot/internal/clock"
	"example.com/griot/internal/forms"
	"example.com/griot/internal/id"
	"example.com/griot/internal/seal"
)

const (
	linkTime    = time.Minute
	idleTime    = 30 * time.Minute
	sessionTime = 12 * time.Hour

	maxLinks    = 16 // one more removes the oldest
	maxSessions = 32

	tokenBytes = 32
)

// sessions are the links and the open sessions of a process.
type sessions struct {
	now clock.Now

	mu    sync.Mutex
	links []link              // used ones first, then the others; oldest first in each group
	open  map[string]*session // by the hash of their token
}

// link is a link to the pages. It can be redeemed once, and for [forms.RepeatTime] again in the same browser.
type link struct {
	hash    string // of its token
	until   time.Time
	browser string // that redeemed it; empty: not redeemed
	session string // the token of the session that it opened
}

// session is an operator's session in one browser.
type session struct {
	id     string // for the audit log
	opened time.Time
	seen   time.Time
	next   flash
	kept   []heldSecrets // the latest last
}

// heldSecrets are the secrets that were typed into a form which is shown again.
type heldSecrets struct {
	form   string
	values url.Values
}

// maxHeld is the maximum number of forms of a session for which typed secrets are held.
const maxHeld = 4

// flash is the content that the page after a form shows once.
type flash struct {
	done    string // key of the sentence that confirms the action
	wrong   string // the sentence that describes the problem, or its key
	failure string // key of the sentence about a gateway's failure, with its text, its fix, and its codes
	text    string // the result in the person's language, if there is no key for it
	refusal string // a verb's refusal, in English
	secret  string // a new secret
	title   string // of the secret
}

func newSessions(now clock.Now) *sessions {
	return &sessions{now: now, open: map[string]*session{}}
}

// newLink returns the token of a link.
func (s *sessions) newLink() string {
	token, until := id.Token(tokenBytes), s.now().Add(linkTime)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.removeOld()
	s.links = append(s.links, link{hash: seal.Hash(token), until: until})
	s.links = s.links[max(0, len(s.links)-maxLinks):]
	return token
}

// redeem opens a session with a link's token. The token is then no longer valid, except that for a short time it
// returns the same session to the same browser while that session is open. fresh reports whether the session is new. An
// empty browser is not recognized.
func (s *sessions) redeem(linkToken, browser string) (token, sessionID string, fresh, ok bool) {
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.removeOld()
	hash := seal.Hash(linkToken)
	i := slices.IndexFunc(s.links, func(l link) bool { return l.hash == hash })
	if i < 0 {
		return "", "", false, false
	}
	if l := s.links[i]; l.session != "" {
		opened := s.open[seal.Hash(l.session)]
		if opened == nil || !seal.Equal(l.browser, browser) {
			return "", "", false, false
		}
		return l.session, opened.id, false, true
	}
	s.makeRoom()
	token = id.Token(tokenBytes)
	opened := &session{id: id.New(now), opened: now, seen: now}
	s.open[seal.Hash(token)] = opened
	used := link{hash: hash, until: now.Add(forms.RepeatTime), browser: browser, session: token}
	if s.links = slices.Delete(s.links, i, i+1); browser != "" {
		s.links = slices.Insert(s.links, 0, used) // before the unused ones
	}
	return token, opened.id, true, true
}

// find reports whether a session is open, and extends it.
func (s *sessions) find(token string) (sessionID string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.removeOld()
	found := s.open[seal.Hash(token)]
	if found == nil {
		return "", false
	}
	found.seen = s.now()
	return found.id, true
}

// leave stores the content for the session's next page.
func (s *sessions) leave(token string, o flash) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if found := s.open[seal.Hash(token)]; found != nil {
		found.next = o
	}
}

// take returns the content for the session's next page, and removes it.
func (s *sessions) take(token string) (o flash) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if found := s.open[seal.Hash(token)]; found != nil {
		o, found.next = found.next, flash{}
	}
	return o
}

// hold keeps the typed secrets of a form until the session ends, or until there are those of maxHeld newer forms.
func (s *sessions) hold(token, form string, values url.Values) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if found := s.open[seal.Hash(token)]; found != nil {
		found.kept = append(found.kept, heldSecrets{form, values})
		found.kept = found.kept[max(0, len(found.kept)-maxHeld):]
	}
}

// held returns the typed secrets of a form; nil if there are none.
func (s *sessions) held(token, form string) url.Values {
	s.mu.Lock()
	defer s.mu.Unlock()
	if found := s.open[seal.Hash(token)]; found != nil {
		for _, one := range found.kept {
			if one.form == form {
				return one.values
			}
		}
	}
	return nil
}

func (s *sessions) end(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, seal.Hash(token))
}

// removeOld removes expired links and sessions.
func (s *sessions) removeOld() {
	now := s.now()
	s.links = slices.DeleteFunc(s.links, func(l link) bool { return !now.Before(l.until) })
	maps.DeleteFunc(s.open, func(_ string, o *session) bool {
		return now.Sub(o.seen) >= idleTime || now.Sub(o.opened) >= sessionTime
	})
}

// makeRoom ends the session that was unused for the longest time if the maximum number is reached.
func (s *sessions) makeRoom() {
	if len(s.open) < maxSessions {
		return
	}
	idle := ""
	for hash, o := range s.open {
		if idle == "" || o.seen.Before(s.open[idle].seen) {
			idle = hash
		}
	}
	delete(s.open, idle)
}
