package smpp

import (
	"bytes"
	"errors"
	"hash/maphash"
	"sync"
	"time"

	"example.com/griot/internal/clock"
	"example.com/griot/internal/id"
)

// Limits of texts in parts.
const (
	maxTexts      = 1000
	maxTextsOfOne = 10
	maxTextBytes  = 4 << 20
	partsTimeout  = 5 * time.Minute // after this, the message is the parts that have come
)

var (
	errStoring = errors.New("the text is being stored")
	errFull    = errors.New("too many incomplete texts")
)

// textKey is what the parts of one text have in common.
type textKey struct {
	from, to  string
	reference uint16
	form      byte // of the reference
	total     int
	coding    byte
}

// longText is a text in parts. The lock of reassembly guards it.
type longText struct {
	key     textKey
	id      string
	since   time.Time
	parts   map[int][]byte
	sums    map[int]uint64 // hashes of the parts that have come
	storing bool           // the sink is storing it: nothing may be added
	stored  bool           // it is kept for partsTimeout, to recognise repeated parts
}

// reassembly joins the parts of texts. All parts but the last are acknowledged before the
// text is stored, since many centers wait for that before they deliver the next part.
type reassembly struct {
	now         clock.Now
	mu          sync.Mutex
	texts       map[textKey]*longText
	incomplete  map[string]int // how many texts of each person aren't stored
	storedTexts int            // how many texts are
	bytes       int
	seed        maphash.Seed
}

func newReassembly(now clock.Now) *reassembly {
	return &reassembly{now: now, texts: map[textKey]*longText{}, incomplete: map[string]int{}, seed: maphash.MakeSeed()}
}

// add adds a part. It returns a text that has to be stored now, which is locked until
// release or markStored. added is false if that is an older text of the same reference:
// the part must then be added again afterwards.
func (p *reassembly) add(key textKey, number int, b []byte) (due *longText, added bool, err error) {
	sum := maphash.Bytes(p.seed, b)
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.texts[key]
	if t != nil {
		known, has := t.sums[number]
		switch {
		case t.storing:
			return nil, false, errStoring
		case has && known == sum && t.stored:
			return nil, true, nil // a repeated part
		case has && known != sum && !t.stored:
			t.storing = true
			return t, false, nil
		case t.stored:
			p.drop(t)
			t = nil
		}
	}
	if t == nil {
		if !p.makeRoom(key.from) || p.bytes+len(b) > maxTextBytes {
			return nil, false, errFull
		}
		t = &longText{key: key, id: id.Random(), since: p.now(), parts: map[int][]byte{}, sums: map[int]uint64{}}
		p.texts[key] = t
		p.incomplete[key.from]++
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
	t.storing = true
	return t, true, nil
}

// makeRoom reports whether one more text fits; it drops stored texts if need be.
func (p *reassembly) makeRoom(from string) bool {
	if len(p.texts) >= maxTexts && p.storedTexts > 0 {
		for _, t := range p.texts {
			if t.stored {
				p.drop(t)
			}
		}
	}
	return len(p.texts) < maxTexts && p.incomplete[from] < maxTextsOfOne
}

// due returns the incomplete texts that have timed out, or all; they are locked until
// release or markStored. It also drops stored texts after the same time.
func (p *reassembly) due(all bool) []*longText {
	now := p.now()
	p.mu.Lock()
	defer p.mu.Unlock()
	var list []*longText
	for _, t := range p.texts {
		switch {
		case t.storing || !all && now.Sub(t.since) < partsTimeout:
		case t.stored:
			p.drop(t)
		default:
			t.storing = true
			list = append(list, t)
		}
	}
	return list
}

// release unlocks a text that the sink didn't store.
func (p *reassembly) release(t *longText) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t.storing = false
}

// markStored unlocks a text that the sink has stored.
func (p *reassembly) markStored(t *longText) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.freeParts(t)
	p.uncount(t)
	p.storedTexts++
	t.storing, t.stored = false, true
}

func (p *reassembly) uncount(t *longText) {
	if p.incomplete[t.key.from]--; p.incomplete[t.key.from] == 0 {
		delete(p.incomplete, t.key.from)
	}
}

func (p *reassembly) freeParts(t *longText) {
	for _, b := range t.parts {
		p.bytes -= len(b)
	}
	t.parts = nil
}

// drop forgets a stored text.
func (p *reassembly) drop(t *longText) {
	p.storedTexts--
	delete(p.texts, t.key)
}

// bytes returns the parts that have come, in order. The text must be locked.
func (t *longText) bytes() []byte {
	var all []byte
	for n := 1; n <= t.key.total; n++ {
		all = append(all, t.parts[n]...)
	}
	return all
}
