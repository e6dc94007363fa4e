package batch

import (
	"cmp"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	griot "example.com/griot/client"
	"example.com/griot/internal/sms"
)

// Plan is what a batch would do.
type Plan struct {
	Name     string   // of the batch: given, or the content of the file
	Rows     int      // that can be sent
	Repeated int      // of them, to a recipient who is in an earlier row
	Bad      int      // that can't be sent; [Check] has reported each
	Groups   []*Group // the largest first
	First    *griot.Message
	Encoding string  // of the file
	Sample   *Sample // what was read from a file that is not UTF-8; nil: it is ASCII

	source  *Source
	message *Message
}

// Group is rows that cost the same.
type Group struct {
	Channel  griot.Channel
	Encoding sms.Encoding // of a text that may go as SMS; empty: the channel or a preset decides
	Segments int
	Rows     int
	Example  *griot.Message // the longest
	Line     int            // where it is

	characters int
}

// A Sample is a cell whose letters show whether a file was decoded correctly.
type Sample struct {
	Line   int    `json:"line"`
	Column string `json:"column"`
	Text   string `json:"text"`
}

// sampleOf returns a cell of a row with letters that are not ASCII, or nil.
func sampleOf(row Row) *Sample {
	for _, column := range slices.Sorted(maps.Keys(row.Values)) {
		if text := row.Values[column]; strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) {
			return &Sample{row.Line, column, text}
		}
	}
	return nil
}

// Segments is how many SMS all rows take that go as SMS.
func (p *Plan) Segments() (n int) {
	for _, g := range p.Groups {
		n += g.Segments * g.Rows
	}
	return n
}

// NameMetadata is the metadata by which a batch's messages are found again.
const NameMetadata = "batch"

// note notes on a message which batch it is of.
func (p *Plan) note(m *griot.Message) {
	if m.Sensitive || m.Metadata[NameMetadata] != "" {
		return // nothing is kept of one; the other has a note of its own
	}
	if m.Metadata == nil {
		m.Metadata = map[string]string{}
	}
	m.Metadata[NameMetadata] = p.Name
}

// CheckName returns an error for what cannot be the name of a batch.
func CheckName(name string) error {
	fine := func(r rune) bool {
		return strings.ContainsRune("-_.:", r) || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	if len(name) > maxName || strings.ContainsFunc(name, func(r rune) bool { return !fine(r) }) {
		return fmt.Errorf("a batch's name has letters, digits, - _ . and :, at most %d", maxName)
	}
	return nil
}

const maxName = 100

// Check reads all rows and reports each that can't be sent. Without an error and without bad rows the plan can be run. An
// empty name is the content of the file: the same file is the same batch.
func Check(s *Source, m *Message, name string, report func(*RowError) error) (*Plan, error) {
	if err := m.compile(); err != nil {
		return nil, err
	}
	if err := m.missing(s); err != nil {
		return nil, err
	}
	p := &Plan{Encoding: s.Encoding, source: s, message: m}
	groups := map[Group]*Group{}
	recipients := map[uint64]struct{}{}
	seed := maphash.MakeSeed()
	for row, err := range s.Rows() {
		var made *griot.Message
		if err == nil {
			if p.Sample == nil && s.decoding != nil {
				p.Sample = sampleOf(row)
			}
			made, err = m.make(row)
		}
		if bad, ok := errors.AsType[*RowError](err); ok {
			p.Bad++
			if err := report(bad); err != nil {
				return nil, err
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		p.Rows++
		if p.First == nil {
			p.First = made
		}
		to := maphash.String(seed, made.To)
		if _, known := recipients[to]; known {
			p.Repeated++
		}
		recipients[to] = struct{}{}
		count(groups, made, row.Line)
	}
	if p.Rows+p.Bad == 0 {
		return nil, errors.New("the file has no rows")
	}
	p.Name = cmp.Or(name, s.digest())
	p.Groups = slices.SortedFunc(maps.Values(groups), func(a, b *Group) int { return cmp.Or(b.Rows-a.Rows, a.Line-b.Line) })
	return p, nil
}

// count adds a message to the group of those that cost the same.
func count(groups map[Group]*Group, m *griot.Message, line int) {
	kind := Group{Channel: m.Channel}
	if m.Preset == "" && (m.Channel == griot.SMS || m.Channel == griot.Auto) {
		kind.Encoding, kind.Segments, _ = sms.Measure(m.Text)
	}
	g := groups[kind]
	if g == nil {
		made := kind
		g = &made
		groups[kind] = g
	}
	g.Rows++
	if n := utf8.RuneCountInString(m.Text) + utf8.RuneCountInString(m.HTML); g.Example == nil || n > g.characters {
		g.Example, g.Line, g.characters = m, line, n
	}
}
