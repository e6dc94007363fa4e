package smpp

import (
	"bytes"
	"errors"
	"hash/maphash"
	"sync"
	"time"

	"griot/internal/clock"
	"griot/internal/id"
)

// Bounds of what is kept of texts that come in parts.
const (
	maxTexts      = 1000
	maxTextsOfOne = 10
	maxTextBytes  = 4 << 20
	partsComeBy   = 5 * time.Minute // after that, what is there is the message
)

var (
	errBusy = errors.New("the text is being stored")
	errFull = errors.New("too many incomplete texts")
)

// textKey is what the parts of one text have in common.
type textKey struct {
	from, to  string
	reference uint16
	form      byte // of the reference
	total     int
	coding    byte
}

// longText is a text that comes in parts. Its lock is that of its parts.
type longText struct {
	key   textKey
	id    string
	since time.Time
	parts map[int][]byte
	sums  map[int]uint64 // of each part that has come
	busy  bool           // the sink is looking at it: nothing may be added
	done  bool           // the sink has it; it stays a while, for parts that are brought again
}

// parts puts texts together. The center's answer for all parts but the last goes out
// before the text is stored, since many centers wait for it with the next part.
type parts struct {
	now   clock.Now
	mu    sync.Mutex
	texts map[textKey]*longText
	open  map[string]int // how many of each person's aren't stored
	done  int            // how many are
	bytes int
	seed  maphash.Seed
}

func newParts(now clock.Now) *parts {
	return &parts{now: now, texts: map[textKey]*longText{}, open: map[string]int{}, seed: maphash.MakeSeed()}
}

// add keeps a part. If there is now a text to be given to the sink, it is due, and
// busy until keep or stored; ended says that the part is in it. Otherwise the text is
// an older one that has come to use the same reference, and the part is to be added again after it.
func (p *parts) add(key textKey, number int, b []byte) (due *longText, ended bool, err error) {
	sum := maphash.Bytes(p.seed, b)
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.texts[key]
	if t != nil {
		known, has := t.sums[number]
		switch {
		case t.busy:
			return nil, false, errBusy
		case has && known == sum && t.done:
			return nil, true, nil // it was brought again
		case has && known != sum && !t.done:
			t.busy = true
			return t, false, nil
		case t.done:
			p.drop(t)
			t = nil
		}
	}
	if t == nil {
		if !p.room(key.from) || p.bytes+len(b) > maxTextBytes {
			return nil, false, errFull
		}
		t = &longText{key: key, id: id.Random(), since: p.now(), parts: map[int][]byte{}, sums: map[int]uint64{}}
		p.texts[key] = t
		p.open[key.from]++
	}
	if _, has := t.sums[number]; !has {
		if p.bytes+len(b) > maxTextBytes {
			return nil, false, errFull
		}
		p.bytes += len(b)
		t.parts[number], t.sums[number] = bytes.Clone(b), sum
	}
	if len(t.parts) < key.total {
		return nil, true, nil
	}
	t.busy = true
	return t, true, nil
}

// room makes sure that one more text fits. What is stored already gives way.
func (p *parts) room(from string) bool {
	if len(p.texts) >= maxTexts && p.done > 0 {
		for _, t := range p.texts {
			if t.done {
				p.drop(t)
			}
		}
	}
	return len(p.texts) < maxTexts && p.open[from] < maxTextsOfOne
}

// due takes the texts whose parts have had their time, or all; they are busy until
// keep or stored. It forgets those that are stored, after the same time.
func (p *parts) due(all bool) []*longText {
	now := p.now()
	p.mu.Lock()
	defer p.mu.Unlock()
	var list []*longText
	for _, t := range p.texts {
		switch {
		case t.busy || !all && now.Sub(t.since) < partsComeBy:
		case t.done:
			p.drop(t)
		default:
			t.busy = true
			list = append(list, t)
		}
	}
	return list
}

// keep gives back a text that the sink didn't take.
func (p *parts) keep(t *longText) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t.busy = false
}

// stored says that the sink has a text.
func (p *parts) stored(t *longText) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.empty(t)
	p.close(t)
	p.done++
	t.busy, t.done = false, true
}

func (p *parts) close(t *longText) {
	if p.open[t.key.from]--; p.open[t.key.from] == 0 {
		delete(p.open, t.key.from)
	}
}

func (p *parts) empty(t *longText) {
	for _, b := range t.parts {
		p.bytes -= len(b)
	}
	t.parts = nil
}

// drop forgets a text that is stored.
func (p *parts) drop(t *longText) {
	p.done--
	delete(p.texts, t.key)
}

// bytes returns the parts that have come, in order. The text is busy.
func (t *longText) bytes() []byte {
	var all []byte
	for n := 1; n <= t.key.total; n++ {
		all = append(all, t.parts[n]...)
	}
	return all
}
