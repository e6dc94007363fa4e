package smpp

import (
	"bytes"
	"cmp"
	"errors"
	"hash/maphash"
	"maps"
	"slices"
	"sync"
	"time"

	"example.com/griot/internal/clock"
	"example.com/griot/internal/id"
)

// Limits for texts in several parts.
const (
	maxTexts      = 1000
	maxTextsOfOne = 10
	maxTextBytes  = 4 << 20
	partsTimeout  = 5 * time.Minute // after this time, the message consists of the received parts
)

var (
	errStoring = errors.New("the text is being stored")
	errFull    = errors.New("too many incomplete texts")
)

// A textKey identifies the parts that can belong to one text.
type textKey struct {
	from, to  string
	local     string // the sender without an international number; from is then empty
	reference uint16
	form      byte // of the reference
	total     int
	coding    byte
}

// sender returns what identifies the text's writer.
func (k *textKey) sender() string { return k.from + k.local }

// partsOfKey contains the received parts of one key. The lock of reassembly guards it.
type partsOfKey struct {
	readings []reading
	latest   time.Time         // time of the latest part
	bytes    int               // total size of the parts
	storing  bool              // the sink is storing a text of this key, so no part can be added
	ids      map[uint64]string // of texts to store, by their hash; a text that the sink has refused keeps its ID
	stored   map[uint64]bool   // texts that the sink has stored before readings could change
}

// longText is a text that must be stored.
type longText struct {
	key   textKey
	id    string
	since time.Time
	parts []*arrivedPart // in order
	sum   uint64
	of    *partsOfKey
	next  *change // applied once the text is stored; nil: another text must be stored before
}

// change replaces the readings of a key.
type change struct {
	readings []reading // nil: the key is deleted
	latest   time.Time
	split    bool
}

// reassembly joins the parts of texts. All parts except the last are acknowledged before the text is stored, because
// many centers wait for that before they deliver the next part.
type reassembly struct {
	now         clock.Now
	onSplit     func() // called when texts are stored in parts because it is uncertain which parts belong together
	mu          sync.Mutex
	texts       map[textKey]*partsOfKey
	incomplete  map[string]int // number of each person's keys with parts that are not stored
	storedTexts int            // number of keys without such parts; they are kept for partsTimeout, to recognize repeated parts
	bytes       int
	seed        maphash.Seed
}

func newReassembly(now clock.Now) *reassembly {
	return &reassembly{now: now, onSplit: func() {}, texts: map[textKey]*partsOfKey{}, incomplete: map[string]int{}, seed: maphash.MakeSeed()}
}

// add adds a part. It returns a text that must be stored now, which is locked until release or markStored. added is
// false if the part must then be added again.
func (p *reassembly) add(key textKey, number int, s segment) (due *longText, added bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	k := p.texts[key]
	switch {
	case k != nil && k.storing:
		return nil, false, errStoring
	case p.bytes+len(s.bytes) > maxTextBytes, k == nil && !p.makeRoom(), (k == nil || k.decided()) && p.incomplete[key.sender()] >= maxTextsOfOne:
		return nil, false, errFull
	}
	if k == nil {
		k = &partsOfKey{readings: []reading{{}}}
	}
	now := p.now()
	next, texts, split := readPart(k.readings, key.total, &arrivedPart{number: number, sum: p.sum([]segment{s}), segment: segment{bytes.Clone(s.bytes), s.tables}, at: now})
	after := &change{next, now, split}
	if due := p.firstToStore(key, k, texts, after); due != nil {
		return due, due.next != nil, nil
	}
	p.apply(key, k, after)
	return nil, true, nil
}

// makeRoom reports whether another key fits. If necessary, it drops keys without undecided parts.
func (p *reassembly) makeRoom() bool {
	if len(p.texts) >= maxTexts && p.storedTexts > 0 {
		for key, k := range p.texts {
			if k.decided() && !k.storing {
				p.apply(key, k, &change{})
			}
		}
	}
	return len(p.texts) < maxTexts
}

// due returns texts of the keys whose timeout for missing parts has passed, or of all keys. They are locked until
// release or markStored. Further texts of these keys are due afterward. It also drops keys without undecided parts
// after the same time.
func (p *reassembly) due(all bool) (list []*longText) {
	now := p.now()
	p.mu.Lock()
	defer p.mu.Unlock()
	for key, k := range p.texts {
		if k.storing || !all && now.Sub(k.since()) < partsTimeout {
			continue
		}
		if k.decided() {
			p.apply(key, k, &change{})
			continue
		}
		texts, piece, closed, split := endReadings(k.readings, key.total, true)
		if piece != nil {
			texts = append(texts, piece)
		}
		after := &change{[]reading{closed}, k.latest, split}
		if due := p.firstToStore(key, k, texts, after); due != nil {
			list = append(list, due)
		} else {
			p.apply(key, k, after)
		}
	}
	return list
}

// firstToStore returns the first text that is not stored yet, locked, or nil if there is none. The last one has the
// change that follows.
func (p *reassembly) firstToStore(key textKey, k *partsOfKey, texts [][]*arrivedPart, after *change) (due *longText) {
	for _, parts := range texts {
		t := &longText{key: key, parts: parts, of: k, since: oldest(parts)}
		if t.sum = p.sum(t.segments()); k.stored[t.sum] {
			continue
		}
		if due != nil {
			return due // without the change
		}
		if k.ids[t.sum] == "" {
			if k.ids == nil {
				k.ids = map[uint64]string{}
			}
			k.ids[t.sum] = id.Random()
		}
		due, t.id, k.storing = t, k.ids[t.sum], true
	}
	if due != nil {
		due.next = after
	}
	return due
}

// release unlocks a text that the sink did not store.
func (p *reassembly) release(t *longText) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t.of.storing = false
}

// markStored unlocks a text that the sink has stored.
func (p *reassembly) markStored(t *longText) {
	p.mu.Lock()
	defer p.mu.Unlock()
	k := t.of
	if k.stored == nil {
		k.stored = map[uint64]bool{}
	}
	k.storing, k.stored[t.sum] = false, true
	if t.next != nil {
		p.apply(t.key, k, t.next)
	}
}

// apply replaces the readings of a key and updates the counters.
func (p *reassembly) apply(key textKey, k *partsOfKey, c *change) {
	if p.texts[key] != nil {
		p.count(key, k, -1)
	}
	if k.readings, k.latest = c.readings, c.latest; c.readings == nil {
		delete(p.texts, key)
		return
	}
	if k.decided() {
		k.ids, k.stored = nil, nil
	}
	p.texts[key] = k
	k.bytes = 0
	for part := range k.parts() {
		k.bytes += len(part.bytes)
	}
	if p.count(key, k, 1); c.split {
		p.onSplit()
	}
}

// count adds a key to the counters, or removes it.
func (p *reassembly) count(key textKey, k *partsOfKey, sign int) {
	p.bytes += sign * k.bytes
	if k.decided() {
		p.storedTexts += sign
		return
	}
	if p.incomplete[key.sender()] += sign; p.incomplete[key.sender()] == 0 {
		delete(p.incomplete, key.sender())
	}
}

// decided reports whether the key has no parts that are not stored.
func (k *partsOfKey) decided() bool { return len(k.parts()) == 0 }

// parts returns the parts that are not stored.
func (k *partsOfKey) parts() map[*arrivedPart]bool {
	parts := map[*arrivedPart]bool{}
	for _, r := range k.readings {
		for _, text := range append([][]*arrivedPart{r.open}, r.done...) {
			for _, part := range text {
				if part != nil {
					parts[part] = true
				}
			}
		}
	}
	return parts
}

// since returns the start of partsTimeout: the time of the oldest part that is not stored, or of the latest part.
func (k *partsOfKey) since() time.Time {
	return cmp.Or(oldest(slices.Collect(maps.Keys(k.parts()))), k.latest)
}

// oldest returns the time of the part that arrived first, or zero without parts.
func oldest(parts []*arrivedPart) (at time.Time) {
	for _, part := range parts {
		if at.IsZero() || part.at.Before(at) {
			at = part.at
		}
	}
	return at
}

// segments returns the text of the received parts, in order.
func (t *longText) segments() []segment {
	var all []segment
	for _, part := range t.parts {
		all = append(all, part.segment)
	}
	return all
}

// sum returns a hash of text and its tables.
func (p *reassembly) sum(text []segment) uint64 {
	var h maphash.Hash
	h.SetSeed(p.seed)
	for _, s := range text {
		_, _ = h.Write([]byte{s.tables.Locking, s.tables.Single})
		_, _ = h.Write(s.bytes)
	}
	return h.Sum64()
}
