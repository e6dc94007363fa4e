package operator

import (
	"maps"
	"slices"
	"sync"
	"time"

	"example.com/griot/internal/clock"
	"example.com/griot/internal/id"
	"example.com/griot/internal/resubmit"
	"example.com/griot/internal/seal"
)

const (
	linkTime    = time.Minute
	idleTime    = 30 * time.Minute
	sessionTime = 12 * time.Hour

	maxLinks    = 16 // the oldest goes when there is one more
	maxSessions = 32

	tokenBytes = 32
)

// sessions are the links and the open sessions of a process.
type sessions struct {
	now clock.Now

	mu    sync.Mutex
	links []link              // those that were used, then the others; the oldest first
	open  map[string]*session // by the hash of its token
}

// link can be redeemed once, and for [resubmit.Time] again in the same browser.
type link struct {
	hash    string // of its token
	until   time.Time
	browser string // that redeemed it; empty: none has
	session string // the token of the session that it opened
}

// session is an operator's, in one browser.
type session struct {
	id     string // for the audit log
	opened time.Time
	seen   time.Time
	next   flash
}

// flash is what the page after a form shows once.
type flash struct {
	done    string // key of the sentence that says what was done
	wrong   string // key of the sentence that says what was wrong with the form
	text    string // what was done, in the person's language, where no key says it
	refusal string // why a verb refused, in English
	secret  string // what was made
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

// redeem opens a session with a link's token, which is then worth nothing, except that for a moment it gives the same
// browser the same session, while that is open. fresh says that the session is new. An empty browser is not recognized.
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
	used := link{hash: hash, until: now.Add(resubmit.Time), browser: browser, session: token}
	if s.links = slices.Delete(s.links, i, i+1); browser != "" {
		s.links = slices.Insert(s.links, 0, used) // it goes before those that nobody has used
	}
	return token, opened.id, true, true
}

// find reports whether a session is open, and prolongs it.
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

// leave keeps what the session's next page shows.
func (s *sessions) leave(token string, o flash) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if found := s.open[seal.Hash(token)]; found != nil {
		found.next = o
	}
}

// take returns what the session's next page shows.
func (s *sessions) take(token string) (o flash) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if found := s.open[seal.Hash(token)]; found != nil {
		o, found.next = found.next, flash{}
	}
	return o
}

func (s *sessions) end(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, seal.Hash(token))
}

// removeOld removes what has expired.
func (s *sessions) removeOld() {
	now := s.now()
	s.links = slices.DeleteFunc(s.links, func(l link) bool { return !now.Before(l.until) })
	maps.DeleteFunc(s.open, func(_ string, o *session) bool {
		return now.Sub(o.seen) >= idleTime || now.Sub(o.opened) >= sessionTime
	})
}

// makeRoom ends the session that was not used for the longest time, when there are as many as there can be.
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
