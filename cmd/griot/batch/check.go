package batch

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	griot "example.com/griot/client"
	"example.com/griot/internal/sms"
)

// Plan is the result of checking a batch.
type Plan struct {
	Name     string   // of the batch: the given one, or derived from the content of the file
	Rows     int      // rows that can be sent
	Repeated int      // of the sendable rows: those to the person of an earlier row
	Same     int      // of the repeated rows: those with the same message as an earlier row to the person
	Once     bool     // a person gets a message once, however many rows have it: the name is a given one, or the file is an export
	Bad      int      // rows that can't be sent; [Check] has reported each
	Groups   []*Group // largest first
	First    *griot.Message
	Encoding string  // of the file
	Sample   *Sample // a cell of a file that is not UTF-8; nil: the file is ASCII

	source  *Source
	message *Message
	earlier string // the name that earlier versions gave the batch
}

// Group is a group of rows with the same cost.
type Group struct {
	Channel  griot.Channel
	Encoding sms.Encoding // of a text that might be sent by SMS; empty: depends on the channel or a preset
	Segments int
	Rows     int
	Example  *griot.Message // the longest message
	Line     int            // its line

	characters int
}

// A Sample is a cell with letters that show whether a file was decoded correctly.
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

// Segments returns the number of SMS segments of all rows that are sent by SMS.
func (p *Plan) Segments() (n int) {
	for _, g := range p.Groups {
		n += g.Segments * g.Rows
	}
	return n
}

// NameMetadata is the metadata key that identifies a batch's messages.
const NameMetadata = "batch"

// note stores the batch's name in a message.
func (p *Plan) note(m *griot.Message) {
	if m.Sensitive || m.Metadata[NameMetadata] != "" {
		return // they don't keep metadata, and the other kind has its own
	}
	if m.Metadata == nil {
		m.Metadata = map[string]string{}
	}
	m.Metadata[NameMetadata] = p.Name
}

// CheckName returns an error for an invalid name of a batch.
func CheckName(name string) error {
	fine := func(r rune) bool {
		return strings.ContainsRune("-_.:", r) || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	if len(name) > maxName || strings.ContainsFunc(name, func(r rune) bool { return !fine(r) }) {
		return fmt.Errorf("a batch's name can have at most %d letters, digits, hyphens, underscores, periods, and colons", maxName)
	}
	return nil
}

const maxName = 100

// Check reads all rows and reports each that can't be sent. The plan can be run if there is no error and no bad row. An
// empty name is replaced with one derived from the cells of the file, so the same cells are the same batch, however they
// are saved.
func Check(s *Source, m *Message, name string, report func(*RowError) error) (*Plan, error) {
	if err := m.compile(); err != nil {
		return nil, err
	}
	if err := m.missing(s); err != nil {
		return nil, err
	}
	m.logs = s.Logs
	p := &Plan{Encoding: s.Encoding, source: s, message: m}
	groups := map[Group]*Group{}
	repeats := newRepeats()
	sum := sha256.New()
	sum.Write([]byte("griot batch 2")) // the version of the names
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
		samePerson, sameMessage, err := repeats.next(made)
		if err != nil {
			return nil, err
		}
		if samePerson {
			p.Repeated++
		}
		if sameMessage {
			p.Same++
		}
		line, err := cells(row, m.now.to, made.To)
		if err != nil {
			return nil, err
		}
		sum.Write(append(line, '\n'))
		count(groups, made, row.Line)
	}
	if p.Rows+p.Bad == 0 {
		return nil, errors.New("the file has no rows")
	}
	p.Once = name != "" || s.Logs // an export has a row for each message, not for each person
	p.Name = cmp.Or(name, hex.EncodeToString(sum.Sum(nil)[:8]))
	p.earlier = cmp.Or(name, s.digest())
	p.Groups = slices.SortedFunc(maps.Values(groups), func(a, b *Group) int { return cmp.Or(b.Rows-a.Rows, a.Line-b.Line) })
	return p, nil
}

// count adds a message to the group with the same cost.
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
