package smpp

import (
	"cmp"
	"slices"
	"time"
)

// arrivedPart is a received part of a long text.
type arrivedPart struct {
	number int // from 1
	sum    uint64
	segment
	at time.Time
}

// A reading is one way to divide the parts of one reference into texts. Some phones use one reference for all texts,
// so a part that equals one of the previous text is either that part again, or belongs to the next text. In that
// case, there are several readings, and only texts that are in all of them are stored. If no reading is certain in the
// end, each part of the best one is stored as a text, so that none is lost.
//
// The following order is assumed: each text's parts arrive in any order, each at least once, and before the next
// text's. A part can be repeated before its own text is complete, or afterward until the next text is complete. Two
// readings are compared by their faults. Each repeated part of a complete text is one fault, and so is each text
// whose parts are not in order. A text that starts with a part other than its first, and that equals the previous
// text, has two more faults, because it is most often a repetition. A reading with at least maxFaults more faults
// than another is not considered. So if a text's part is repeated and the parts of the next two texts are not in
// order, texts might be mixed. They might also be mixed if a part never arrives and the next text has exactly that
// part first, because nothing shows that.
//
// A text can be missing, or arrive in pieces, if its parts equal those of the previous text, or if a part never arrives.
type reading struct {
	open   []*arrivedPart // the incomplete text, by number-1; nil before its first part
	order  bool           // the parts of open are not in order
	last   []uint64       // sums of the previous text, by number-1; nil: there is none, and 0: that part never arrived
	done   [][]*arrivedPart
	faults int
}

// Limits of readings.
const (
	maxFaults   = 3
	maxReadings = 16
	maxDone     = 8 // complete texts that are not in all readings
)

// readPart adds a part to the readings of its reference. texts are complete in all of them, or consist of the parts
// of a text that the next text has cut off. split is true if undecided texts are stored in parts because no reading is
// possible or there are too many.
func readPart(readings []reading, total int, p *arrivedPart) (next []reading, texts [][]*arrivedPart, split bool) {
	for i := range readings {
		next = append(next, readings[i].read(total, p)...)
	}
	if len(next) == 0 { // the texts ended before p
		var piece []*arrivedPart
		var closed reading
		texts, piece, closed, split = endReadings(readings, total, false)
		if piece != nil {
			texts = append(texts, piece)
		}
		return closed.read(total, p), texts, split
	}
	next = prune(next)
	texts = takeAgreed(next)
	if slices.ContainsFunc(next, func(r reading) bool { return len(r.done) > maxDone }) {
		pieces := splitUndecided(next)
		return next, append(texts, pieces...), len(pieces) > 0
	}
	return next, texts, false
}

// splitUndecided removes the texts that are not in all readings. It returns the parts of those in the best reading,
// each as a text.
func splitUndecided(readings []reading) (pieces [][]*arrivedPart) {
	for _, text := range readings[0].done {
		for _, p := range text {
			pieces = append(pieces, []*arrivedPart{p})
		}
	}
	for i := range readings {
		readings[i].done = nil
	}
	return pieces
}

// endReadings ends the readings when the timeout for further parts has passed. If prefer is set, it prefers a reading
// that lacks no part. piece contains the parts of an incomplete text. split is true if undecided texts are stored in parts.
func endReadings(readings []reading, total int, prefer bool) (texts [][]*arrivedPart, piece []*arrivedPart, closed reading, split bool) {
	readings = slices.Clone(readings)
	complete := func(r reading) bool { return r.open == nil }
	if prefer && slices.ContainsFunc(readings, complete) {
		readings = slices.DeleteFunc(readings, func(r reading) bool { return !complete(r) })
	}
	readings = prune(readings)
	texts = takeAgreed(readings)
	closed.last = make([]uint64, total)
	copy(closed.last, readings[0].last)
	pieces := splitUndecided(readings)
	for i, p := range readings[0].open {
		switch {
		case p == nil:
			continue
		case !slices.ContainsFunc(readings, func(r reading) bool { return r.open == nil || r.open[i] == nil || r.open[i].sum != p.sum }):
			piece = append(piece, p)
		case p.sum != closed.last[i]: // otherwise, it might be a repetition
			pieces = append(pieces, []*arrivedPart{p})
		default:
			continue
		}
		closed.last[i] = p.sum
	}
	if !slices.ContainsFunc(closed.last, func(sum uint64) bool { return sum != 0 }) {
		closed.last = nil
	}
	return append(texts, pieces...), piece, closed, len(pieces) > 0
}

// read returns the possible readings after a further part: none, one, or two.
func (r reading) read(total int, p *arrivedPart) (next []reading) {
	i := p.number - 1
	switch {
	case r.open == nil || r.open[i] == nil:
		next = append(next, r.with(total, p))
	case r.open[i].sum == p.sum:
		return []reading{r}
	}
	if r.last != nil && r.last[i] == p.sum {
		r.faults++
		next = append(next, r)
	}
	return next
}

// with returns the reading in which a part belongs to the open text.
func (r reading) with(total int, p *arrivedPart) reading {
	open, count := make([]*arrivedPart, total), 0
	copy(open, r.open)
	for _, other := range open {
		if other != nil {
			count++
		}
	}
	if open[p.number-1] = p; p.number != count+1 && !r.order {
		r.order = true
		r.faults++
		if r.open == nil && r.last != nil && r.last[p.number-1] == p.sum {
			r.faults += 2
		}
	}
	if r.open = open; count+1 < total {
		return r
	}
	sums := make([]uint64, total)
	for i, p := range open {
		sums[i] = p.sum
	}
	if !slices.Equal(sums, r.last) { // otherwise it is the same text again
		r.done = append(slices.Clip(r.done), open)
	}
	r.open, r.order, r.last = nil, false, sums
	return r
}

// prune returns the readings with the fewest faults, best first.
func prune(readings []reading) []reading {
	slices.SortStableFunc(readings, func(a, b reading) int { return cmp.Compare(a.faults, b.faults) })
	var kept []reading
	for _, r := range readings {
		if r.faults-readings[0].faults >= maxFaults || len(kept) == maxReadings {
			break
		}
		if !slices.ContainsFunc(kept, r.equals) {
			kept = append(kept, r)
		}
	}
	best := kept[0].faults
	for i := range kept {
		kept[i].faults -= best
	}
	return kept
}

func (r reading) equals(other reading) bool {
	return r.order == other.order && slices.Equal(r.last, other.last) && sameParts(r.open, other.open) && slices.EqualFunc(r.done, other.done, sameParts)
}

func sameParts(a, b []*arrivedPart) bool {
	return slices.EqualFunc(a, b, func(a, b *arrivedPart) bool { return a == b || a != nil && b != nil && a.sum == b.sum })
}

// takeAgreed removes the texts that are in all readings and returns them in order.
func takeAgreed(readings []reading) (texts [][]*arrivedPart) {
	for _, text := range readings[0].done {
		is := func(other []*arrivedPart) bool { return sameParts(text, other) }
		if slices.ContainsFunc(readings, func(r reading) bool { return !slices.ContainsFunc(r.done, is) }) {
			continue
		}
		texts = append(texts, text)
		for i := range readings {
			at := slices.IndexFunc(readings[i].done, is)
			readings[i].done = slices.Concat(readings[i].done[:at], readings[i].done[at+1:])
		}
	}
	return texts
}
