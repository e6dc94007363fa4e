package api

import (
	"slices"
	"sync"
)

// The limits of the open streams of a process. Each stream uses a connection and polls. Pages have places of their own,
// so that no page can take that of a program.
const (
	maxPrograms       = 500 // of all accounts
	programsOfAccount = 5
	maxPages          = 500 // of all people
	pagesOfPerson     = 5
	maxPairings       = 100 // of all people
	pairingsOfPerson  = 3
)

// streams are the open streams of one kind, by holder: an account for programs, and a person for pages. If all places
// are taken, a holder with fewer streams gets the place of the holder with the most, so many accounts can't keep others
// out. It is safe for concurrent use.
type streams struct {
	limit, perHolder int
	replaces         bool // a holder's new stream ends the holder's oldest one, instead of being refused

	mu   sync.Mutex
	all  int
	open map[string][]*openStream // oldest first
}

// openStream is a place among the streams of its kind.
type openStream struct {
	of     *streams
	holder string
	ended  chan struct{} // closed when another stream gets the place
}

func newStreams(limit, perHolder int, replaces bool) *streams {
	return &streams{limit: limit, perHolder: perHolder, replaces: replaces, open: map[string][]*openStream{}}
}

// enter returns a place for a new stream, or nil if the holder can't have one now. The caller must leave it.
func (s *streams) enter(holder string) *openStream {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := len(s.open[holder])
	switch {
	case own >= s.perHolder && !s.replaces:
		return nil
	case own >= s.perHolder:
		s.remove(s.open[holder][0])
	case s.all >= s.limit:
		most := holder
		for other, list := range s.open {
			if len(list) > len(s.open[most]) {
				most = other
			}
		}
		if len(s.open[most]) <= own+1 {
			return nil
		}
		s.remove(s.open[most][0])
	}
	o := &openStream{of: s, holder: holder, ended: make(chan struct{})}
	s.open[holder] = append(s.open[holder], o)
	s.all++
	return o
}

// leave gives the place back.
func (o *openStream) leave() {
	o.of.mu.Lock()
	defer o.of.mu.Unlock()
	o.of.remove(o)
}

// remove ends a stream that still has its place.
func (s *streams) remove(o *openStream) {
	i := slices.Index(s.open[o.holder], o)
	if i < 0 {
		return
	}
	close(o.ended)
	s.all--
	if s.open[o.holder] = slices.Delete(s.open[o.holder], i, i+1); len(s.open[o.holder]) == 0 {
		delete(s.open, o.holder)
	}
}
