package smpp

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway/smpp/pdu"
	"example.com/griot/gateway/smpp/smpptest"
)

// partsOf returns the parts of a text, which "|" separates, with reference 7.
func partsOf(text string) (list []*pdu.Message) {
	pieces := strings.Split(text, "|")
	for i, piece := range pieces {
		m := smpptest.Text(aissata, griot, piece)
		m.ESMClass, m.Short = pdu.ESMHeader, append([]byte{5, 0, 3, 7, byte(len(pieces)), byte(i + 1)}, m.Short...)
		list = append(list, m)
	}
	return list
}

// A phone with one reference for all texts: a stored text is one that the phone has sent, or a piece of one.
func TestInbound_OneReference(t *testing.T) {
	a, b, c := partsOf("Je voudrais |2 sacs"), partsOf("Je voudrais |20 sacs"), partsOf("Tout autre |texte")
	d, e := partsOf("un |deux |trois"), partsOf("un |deux |quatre")
	f := partsOf("Bonjour |Awa")
	const textA, textB, textC, textD, textE, textF = "Je voudrais 2 sacs", "Je voudrais 20 sacs", "Tout autre texte", "un deux trois", "un deux quatre", "Bonjour Awa"
	at := func(list []*pdu.Message, numbers ...int) (some []*pdu.Message) {
		for _, n := range numbers {
			some = append(some, list[n-1])
		}
		return some
	}
	for name, tt := range map[string]struct {
		deliver   [][]*pdu.Message
		want      []string // immediately
		wantAfter []string // after five minutes, in addition
	}{
		"in order":                                {[][]*pdu.Message{a, b, c}, []string{textA, textB, textC}, nil},
		"backward":                                {[][]*pdu.Message{at(a, 2, 1), at(b, 2, 1), at(c, 2, 1)}, []string{textA, textB, textC}, nil},
		"two with one beginning":                  {[][]*pdu.Message{a, b}, []string{textA}, []string{textB}},
		"three parts":                             {[][]*pdu.Message{d, e, d}, []string{textD, textE}, []string{textD}},
		"a text twice":                            {[][]*pdu.Message{a, a, c}, []string{textA, textC}, nil},
		"each part twice":                         {[][]*pdu.Message{at(a, 1, 1, 2, 2), at(c, 1, 1, 2, 2), b}, []string{textA, textC, textB}, nil},
		"repeated before another text":            {[][]*pdu.Message{a, at(a, 1), c}, []string{textA, textC}, nil},
		"repeated before one that is backward":    {[][]*pdu.Message{a, at(a, 1), at(c, 2, 1), f}, []string{textA, textC, textF}, nil},
		"the second part repeated":                {[][]*pdu.Message{a, at(a, 2), c}, []string{textA, textC}, nil},
		"repeated within another text":            {[][]*pdu.Message{a, at(c, 1), at(a, 2), at(c, 2)}, []string{textA}, []string{textC}},
		"a lost end":                              {[][]*pdu.Message{at(a, 1), c}, []string{"Je voudrais ", textC}, nil},
		"a lost end after a repetition":           {[][]*pdu.Message{a, at(a, 1), at(c, 1)}, []string{textA}, []string{"Tout autre "}},
		"an equal beginning and a lost end":       {[][]*pdu.Message{a, at(b, 1)}, []string{textA}, nil},
		"a lost beginning behind an equal one":    {[][]*pdu.Message{d, at(e, 3)}, []string{textD}, []string{"quatre"}},
		"a repetition of three, and a lost part":  {[][]*pdu.Message{d, at(d, 2), at(e, 3)}, []string{textD}, []string{"quatre"}},
		"an incomplete text and nothing after it": {[][]*pdu.Message{at(d, 1, 3)}, nil, []string{"un trois"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			smsc := smpptest.Start(t, smpptest.Options{})
			r := start(t, settingsFor(smsc.Port(), nil))
			deliverAll(smsc, slices.Concat(tt.deliver...)...)
			if got := r.texts(0); !slices.Equal(got, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
			r.Clock.Advance(partsTimeout)
			r.inbound.storeDue(t.Context(), false)
			if got, want := r.texts(0), slices.Concat(tt.want, tt.wantAfter); !slices.Equal(got, want) {
				t.Errorf("after five minutes %q, want %q", got, want)
			}
			r.Clock.Advance(partsTimeout)
			r.inbound.storeDue(t.Context(), false)
			if p := r.inbound.parts; len(p.texts)+p.bytes+len(p.incomplete)+p.storedTexts != 0 {
				t.Errorf("kept after the timeout: %+v", p)
			}
		})
	}
}

// sentTexts creates texts of one phone from random bytes, and the parts in the order of their arrival. Parts are
// repeated, and texts are out of order, less than maxFaults times. Parts of an incomplete text are repeated any
// number of times.
func sentTexts(random []byte) (total int, sent []string, parts []*arrivedPart) {
	next := func(n int) int {
		if len(random) == 0 {
			return 0
		}
		c := random[0]
		random = random[1:]
		return int(c) % n
	}
	total = 2 + next(3)
	faults, last := 0, []*arrivedPart(nil)
	for len(random) > 0 {
		text := make([]*arrivedPart, total)
		words := ""
		for i := range text {
			word := string(rune('a'+i)) + string(rune('0'+next(3)))
			text[i] = &arrivedPart{number: i + 1, sum: uint64(word[0])<<8 + uint64(word[1]), segment: segment{bytes: []byte(word)}}
			words += word
		}
		sent = append(sent, words)
		order := slices.Clone(text)
		if next(4) == 0 && faults < maxFaults-1 {
			faults++
			i, j := next(total), next(total)
			order[i], order[j] = order[j], order[i]
			if first := order[0]; last != nil && first.number > 1 && first.sum == last[first.number-1].sum {
				slices.SortFunc(order, func(a, b *arrivedPart) int { return a.number - b.number }) // it would be mistaken for a repetition
			}
		}
		for i, p := range order {
			if last != nil && next(6) == 0 && faults < maxFaults-1 {
				faults++
				parts = append(parts, last[next(total)])
			}
			parts = append(parts, p)
			for i < total-1 && next(5) == 1 {
				parts = append(parts, order[next(i+1)])
			}
		}
		last = text
	}
	return total, sent, parts
}

// The same for many texts, without a fuzzer.
func TestReadPart_RandomTexts(t *testing.T) {
	t.Parallel()
	source := rand.New(rand.NewPCG(1, 2))
	for range 5_000 {
		random := make([]byte, source.IntN(120))
		for i := range random {
			random[i] = byte(source.Uint32())
		}
		if checkStored(t, random); t.Failed() {
			t.Fatalf("with %q", random)
		}
	}
}

// Each stored text was sent, and at least as often as it is stored.
func FuzzReadPart(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x01\x01\x01\x00\x01\x01\x01\x01\x02\x02\x01\x01\x01"))
	f.Add([]byte("\x01\x00\x01\x02\x01\x01\x00\x00\x00\x01\x01\x01\x00\x00\x02\x02\x02\x01\x01\x01\x01\x01\x01"))
	f.Fuzz(checkStored)
}

// checkStored reads texts that [sentTexts] creates.
func checkStored(t *testing.T, random []byte) {
	t.Helper()
	total, sent, parts := sentTexts(random[:min(len(random), 200)])
	readings, stored := []reading{{}}, []string(nil)
	store := func(texts [][]*arrivedPart) {
		for _, text := range texts {
			if len(text) == 1 { // a part of an undecided text
				continue
			}
			stored = append(stored, octetsOf(&longText{parts: text}))
		}
	}
	for _, p := range parts {
		before := slices.Clone(readings)
		next, texts, _ := readPart(readings, total, p)
		if again, _, _ := readPart(before, total, p); !slices.EqualFunc(next, again, reading.equals) {
			t.Fatal("a part that is added again has another result")
		}
		if len(next) == 0 || len(next) > maxReadings {
			t.Fatalf("%d readings", len(next))
		}
		readings = next
		store(texts)
	}
	texts, piece, _, _ := endReadings(readings, total, true)
	if store(texts); piece != nil {
		t.Errorf("a piece is left of %q", sent)
	}
	rest := slices.Clone(sent)
	for _, text := range stored {
		i := slices.Index(rest, text)
		if i < 0 {
			t.Fatalf("%q is stored, but was not sent so often: %q", text, sent)
		}
		rest = slices.Delete(rest, i, i+1)
	}
}

// In whichever order parts arrive, and however often, none is lost: each is stored at least once.
func TestReadPart_NoPartIsLost(t *testing.T) {
	t.Parallel()
	source, splits := rand.New(rand.NewPCG(3, 4)), 0
	for range 20_000 {
		total, texts := 2+source.IntN(3), 1+source.IntN(4)
		arrived, stored := map[string]bool{}, map[string]bool{}
		store := func(texts [][]*arrivedPart, split bool) {
			if split {
				splits++
			}
			for _, text := range texts {
				for _, p := range text {
					stored[string(p.bytes)] = true
				}
			}
		}
		readings := []reading{{}}
		var order []string
		for range 1 + source.IntN(24) {
			number, word := 1+source.IntN(total), source.IntN(texts)
			p := &arrivedPart{number: number, sum: uint64(number)<<8 + uint64(word), segment: segment{bytes: []byte{byte('0' + number), byte('a' + word)}}}
			order = append(order, string(p.bytes))
			arrived[string(p.bytes)] = true
			next, texts, split := readPart(readings, total, p)
			readings = next
			store(texts, split)
		}
		texts2, piece, _, split := endReadings(readings, total, true)
		store(append(texts2, piece), split)
		for part := range arrived {
			if !stored[part] {
				t.Fatalf("%s of %d is lost of %v", part, total, order)
			}
		}
	}
	if splits == 0 {
		t.Error("no text was undecided")
	}
}

// If a phone never sends a part twice, nothing is lost while its texts differ in all parts.
func TestReadPart_NothingIsMissing(t *testing.T) {
	t.Parallel()
	readings, stored := []reading{{}}, 0
	for n := range 1000 {
		for number := range 3 {
			next, texts, split := readPart(readings, 3, &arrivedPart{number: 3 - number, sum: uint64(n), segment: segment{bytes: []byte("a")}, at: time.Time{}})
			if readings = next; split {
				t.Fatal("a text is stored in parts")
			}
			stored += len(texts)
		}
	}
	if stored != 1000 {
		t.Errorf("%d texts, want 1000", stored)
	}
}
