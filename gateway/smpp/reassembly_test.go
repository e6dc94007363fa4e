package smpp

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"
)

// Each stored text was sent under its key, at least as often as it is stored, even if others send parts at the same
// time, and whether or not the sink refuses it first.
func FuzzReassembly(f *testing.F) {
	f.Add([]byte("\x00\x00\x01\x02\x01\x01"), []byte("\x01\x00\x01\x02\x01\x00"), []byte("\x00\x00\x00\x01\x01\x01"), []byte("\x00\x01\x02\x05\x07"))
	f.Add([]byte("\x02\x00\x01\x02\x01\x01\x02\x01"), []byte{}, []byte("\x02\x00\x01\x02\x01\x01\x02\x01"), []byte("\x03\x08\x0d"))
	f.Fuzz(func(t *testing.T, first, second, third, order []byte) {
		at := time.Date(2026, 11, 27, 10, 0, 0, 0, time.UTC)
		p := newReassembly(func() time.Time { return at })
		keys := []textKey{{from: "22370000001", reference: 7}, {from: "22370000001", reference: 8}, {from: "22370000002", reference: 7}}
		sent, waiting := map[textKey][]string{}, map[textKey][]*arrivedPart{}
		for i, random := range [][]byte{first, second, third} {
			total, texts, parts := sentTexts(random[:min(len(random), 60)])
			keys[i].total = total
			own := func(c rune) rune { return c + rune(i)*0x100 } // no two keys have a part in common
			for _, text := range texts {
				sent[keys[i]] = append(sent[keys[i]], strings.Map(own, text))
			}
			for _, part := range parts {
				waiting[keys[i]] = append(waiting[keys[i]], &arrivedPart{number: part.number, segment: segment{bytes: bytes.Map(own, part.bytes)}})
			}
		}
		next := func(n int) int {
			if len(order) == 0 {
				return 0
			}
			c := order[0]
			order = order[1:]
			return int(c) % n
		}
		store := func(text *longText) bool {
			if next(3) == 1 {
				p.release(text)
				return false
			}
			i := slices.Index(sent[text.key], octetsOf(text))
			if i < 0 {
				t.Fatalf("%q is stored for %s, which sent no such text that isn't stored: %q", octetsOf(text), text.key.from, sent[text.key])
			}
			sent[text.key] = slices.Delete(sent[text.key], i, i+1)
			p.markStored(text)
			return true
		}
		for keys := slices.DeleteFunc(keys, func(key textKey) bool { return len(waiting[key]) == 0 }); len(keys) > 0; {
			i := next(len(keys))
			key := keys[i]
			due, added, err := p.add(key, waiting[key][0].number, waiting[key][0].segment)
			if err != nil {
				t.Fatal(err)
			}
			if due != nil && !store(due) || !added {
				continue // the center sends the part again
			}
			if waiting[key] = waiting[key][1:]; len(waiting[key]) == 0 {
				keys = slices.Delete(keys, i, i+1)
			}
		}
		for list := p.due(true); len(list) > 0 || len(p.texts) > 0; list = p.due(true) {
			for _, text := range list {
				store(text)
			}
		}
		if p.bytes+len(p.incomplete)+p.storedTexts != 0 {
			t.Errorf("kept at the end: %+v", p)
		}
	})
}

// octetsOf returns the octets of a text.
func octetsOf(t *longText) string {
	var all []byte
	for _, s := range t.segments() {
		all = append(all, s.bytes...)
	}
	return string(all)
}
