package api

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// hasEnded reports whether another stream got the place.
func (o *openStream) hasEnded() bool {
	select {
	case <-o.ended:
		return true
	default:
		return false
	}
}

// Many holders can't keep others out: a newcomer gets the place of the holder with the most.
func TestStreams_NewcomersGetAPlace(t *testing.T) {
	s := newStreams(10, 5, false)
	var greedy []*openStream
	for range 5 {
		greedy = append(greedy, s.enter("greedy"))
	}
	if s.enter("greedy") != nil {
		t.Error("a sixth program of an account has a stream")
	}
	for i := range 5 {
		if s.enter(fmt.Sprint("stranger", i)) == nil {
			t.Fatal("there are places left")
		}
	}
	if o := s.enter("newcomer"); o == nil || !greedy[0].hasEnded() || greedy[1].hasEnded() {
		t.Error("the newcomer doesn't have the oldest place of the holder with the most")
	}
	greedy[0].leave() // its handler ends later
	for len(s.open["greedy"]) > 1 {
		if s.enter(fmt.Sprint("another", len(s.open))) == nil {
			t.Fatal("a newcomer is refused although a holder has several places")
		}
	}
	if s.enter("last") != nil || s.enter("greedy") != nil {
		t.Error("ten holders have a place each, and an eleventh gets one")
	}
}

// Whoever comes and leaves, no limit is passed, and a place is counted once.
func TestStreams_CountsHold(t *testing.T) {
	for _, replaces := range []bool{true, false} {
		s := newStreams(20, 3, replaces)
		var all []*openStream
		for range 5000 {
			if len(all) > 0 && rand.IntN(2) == 0 {
				i := rand.IntN(len(all))
				all[i].leave()
				all[i].leave()
				all[i] = all[len(all)-1]
				all = all[:len(all)-1]
			} else if o := s.enter(fmt.Sprint(rand.IntN(30))); o != nil {
				all = append(all, o)
			}
			n := 0
			for _, list := range s.open {
				if n += len(list); len(list) > 3 {
					t.Fatalf("a holder has %d streams", len(list))
				}
			}
			if n != s.all || n > 20 {
				t.Fatalf("%d streams are counted as %d", n, s.all)
			}
		}
	}
}
