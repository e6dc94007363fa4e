package batch

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"slices"
	"strings"

	griot "example.com/griot/client"
	"example.com/griot/internal/phone"
	"example.com/griot/internal/whatsappid"
)

// Message is the template for each row's message.
type Message struct {
	Base    griot.Message // the common fields: the channel (empty: by the recipient), the sender, the preset, the time
	Text    string        // a template, like the four below
	Subject string
	HTML    string // values are escaped in it
	// Variables of the preset, and Metadata, are templates by name.
	Variables, Metadata map[string]string

	To     string        // the recipient's column; empty: to
	Region *phone.Region // of numbers without a plus; nil: such numbers are refused

	text, subject, html *Template
	variables, metadata map[string]*Template
	columns             []string // required columns of a row
}

// compile parses the templates.
func (m *Message) compile() (err error) {
	if m.To == "" {
		m.To = "to"
	}
	m.columns = []string{m.To}
	parse := func(what, s string) *Template {
		t, wrong := ParseTemplate(s)
		if wrong != nil {
			if err == nil {
				err = fmt.Errorf("%s: %w", what, wrong)
			}
			return &Template{}
		}
		m.columns = append(m.columns, t.Columns()...)
		return t
	}
	m.text, m.subject, m.html = parse("the message", m.Text), parse("the subject", m.Subject), parse("the HTML", m.HTML)
	m.variables, m.metadata = map[string]*Template{}, map[string]*Template{}
	for _, name := range slices.Sorted(maps.Keys(m.Variables)) {
		m.variables[name] = parse("the variable "+name, m.Variables[name])
	}
	for _, name := range slices.Sorted(maps.Keys(m.Metadata)) {
		m.metadata[name] = parse("the metadata "+name, m.Metadata[name])
	}
	slices.Sort(m.columns)
	m.columns = slices.Compact(m.columns)
	return err
}

// missing returns an error that names the columns that a CSV file lacks.
func (m *Message) missing(s *Source) error {
	if s.Lines {
		return nil // each row reports it
	}
	var lacks []string
	for _, name := range m.columns {
		if !slices.Contains(s.Columns, name) {
			lacks = append(lacks, fmt.Sprintf("%q", name))
		}
	}
	if len(lacks) == 0 {
		return nil
	}
	hint := ""
	if !slices.Contains(s.Columns, m.To) {
		hint = "; the recipients must be in the column to, or in the column of --to-column"
	}
	return fmt.Errorf("the file has no column %s: it has %s%s", strings.Join(lacks, ", "), strings.Join(s.Columns, ", "), hint)
}

// make returns a row's message.
func (m *Message) make(row Row) (out *griot.Message, err error) {
	wrong := func(problem string) (*griot.Message, error) { return nil, &RowError{row, problem} }
	made := m.Base
	to, problem := m.recipient(row.Values[m.To])
	if problem != "" {
		return wrong(problem)
	}
	made.To = to
	if made.Channel == "" {
		made.Channel = griot.Auto
		if isEmail(to) {
			made.Channel = griot.Email
		}
	}
	if (made.Channel == griot.Email) != isEmail(to) || made.Channel == griot.SMS && whatsappid.Is(to) {
		return wrong(fmt.Sprintf("%q can't be used with the channel %s", m.To, made.Channel))
	}
	render := func(t *Template, escape func(string) string) (s string) {
		if err == nil {
			s, err = t.Render(row.Values, escape)
		}
		return s
	}
	made.Text, made.Subject, made.HTML = render(m.text, nil), render(m.subject, nil), render(m.html, html.EscapeString)
	all := func(templates map[string]*Template) map[string]string {
		if len(templates) == 0 {
			return nil
		}
		values := make(map[string]string, len(templates))
		for name, t := range templates {
			values[name] = render(t, nil)
		}
		return values
	}
	made.PresetVariables, made.Metadata = all(m.variables), all(m.metadata)
	if err != nil {
		return wrong(err.Error())
	}
	return &made, nil
}

// isEmail reports whether a recipient that was parsed is an email address.
func isEmail(to string) bool { return strings.Contains(to, "@") && !whatsappid.Is(to) }

// recipient parses the cell of a recipient. The problem does not repeat the cell's content.
func (m *Message) recipient(s string) (to, problem string) {
	if s == "" {
		return "", fmt.Sprintf("%q is empty", m.To)
	}
	if whatsappid.Is(s) {
		return s, ""
	}
	if before, after, ok := strings.Cut(s, "@"); ok {
		if before == "" || after == "" || strings.ContainsAny(s, " ,;<>") {
			return "", fmt.Sprintf("%q isn't an email address", m.To)
		}
		return s, ""
	}
	if m.Region != nil {
		if n, ok := m.Region.Parse(s); ok {
			return n.E164(), ""
		}
		return "", fmt.Sprintf("%q isn't a number of the country or a number with a +", m.To)
	}
	typed := phone.Typed(s)
	n, ok := phone.Parse(typed)
	switch {
	case !ok:
		return "", fmt.Sprintf("%q isn't a phone number: use a + and 8 to 15 digits", m.To)
	case !strings.HasPrefix(typed, "+"):
		return "", fmt.Sprintf("%q has no +: write the whole number, or set its country with --country", m.To)
	}
	return n.E164(), ""
}

// content identifies a message: messages with the same content are the same.
type content struct {
	Batch          string
	To             string
	Channel        griot.Channel
	Group          string
	Text, HTML     string
	Subject        string
	Preset         string
	Variables      map[string]string
	WhatsApp       *griot.Forms
	Media, Caption string
	Simulated      bool
	Nth            int
}

// keys creates the idempotency keys of a batch.
type keys struct {
	batch     string
	simulated bool // real and simulated messages share no keys
	seen      map[[sha256.Size]byte]int32
}

func newKeys(batch string, simulated bool) *keys {
	return &keys{batch, simulated, map[[sha256.Size]byte]int32{}}
}

// next returns the key of the next row's message. It counts identical rows, so that each has its own key, and the same
// key when the file is read again.
func (k *keys) next(m *griot.Message) (string, error) {
	c := content{Batch: k.batch, To: m.To, Channel: m.Channel, Group: m.GroupID, Text: m.Text, HTML: m.HTML, Subject: m.Subject, Preset: m.Preset, Variables: m.PresetVariables, WhatsApp: m.WhatsApp, Media: m.MediaURL, Caption: m.Caption, Simulated: k.simulated}
	sum, err := sumOf(&c)
	if err != nil {
		return "", err
	}
	c.Nth = int(k.seen[sum])
	k.seen[sum]++
	if sum, err = sumOf(&c); err != nil {
		return "", err
	}
	return "griot-batch-" + base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:20]), nil
}

func sumOf(c *content) (sum [sha256.Size]byte, err error) {
	b, err := json.Marshal(c)
	return sha256.Sum256(b), err
}
