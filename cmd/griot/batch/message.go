package batch

import (
	"errors"
	"fmt"
	"html"
	"maps"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

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

	To     string       // the recipient's column; empty: to
	Region phone.Region // of numbers without a plus; zero: such numbers are refused

	now, before *templates // of this version, and as earlier versions parsed them
	columns     []string   // required columns of a row
	logs        bool       // the file is an export of Griot's messages
}

// templates are the parsed templates of a message.
type templates struct {
	to                  string // the recipient's column
	value               func(values map[string]string, column string) string
	recipient           func(cell string) string
	form                func(text string) string
	text, subject, html *Template
	variables, metadata map[string]*Template
}

// compile parses the templates.
func (m *Message) compile() (err error) {
	if m.To == "" {
		m.To = "to"
	}
	unchanged := func(s string) string { return s }
	m.before, err = m.parse(unchanged)
	if err != nil {
		return err
	}
	m.before.value = func(values map[string]string, column string) string { return values[column] }
	m.before.recipient = unchanged
	m.now, err = m.parse(norm.NFC.String)
	m.now.value, m.now.recipient = valueOf, unmarked
	m.columns = append([]string{m.now.to}, m.now.columns()...)
	slices.Sort(m.columns)
	m.columns = slices.Compact(m.columns)
	return err
}

// parse parses the templates in a form.
func (m *Message) parse(form func(string) string) (t *templates, err error) {
	parse := func(what, s string) *Template {
		t, wrong := ParseTemplate(form(s))
		if wrong != nil {
			if err == nil {
				err = fmt.Errorf("%s: %w", what, wrong)
			}
			return &Template{}
		}
		return t
	}
	t = &templates{to: form(m.To), form: form, text: parse("the message", m.Text), subject: parse("the subject", m.Subject), html: parse("the HTML", m.HTML), variables: map[string]*Template{}, metadata: map[string]*Template{}}
	for _, name := range slices.Sorted(maps.Keys(m.Variables)) {
		t.variables[name] = parse("the variable "+name, m.Variables[name])
	}
	for _, name := range slices.Sorted(maps.Keys(m.Metadata)) {
		t.metadata[name] = parse("the metadata "+name, m.Metadata[name])
	}
	return t, err
}

// columns returns the columns of all placeholders.
func (t *templates) columns() []string {
	all := slices.Concat(t.text.Columns(), t.subject.Columns(), t.html.Columns())
	for _, of := range []map[string]*Template{t.variables, t.metadata} {
		for _, one := range of {
			all = append(all, one.Columns()...)
		}
	}
	return all
}

// missing returns an error that names the columns that a CSV file lacks.
func (m *Message) missing(s *Source) error {
	if s.Lines {
		return nil // each row reports it
	}
	names := map[string]struct{}{}
	for _, name := range s.Columns {
		names[name] = struct{}{}
	}
	var lacks []string
	for _, name := range m.columns {
		switch found, many := resolve(names, name); {
		case many:
			return fmt.Errorf("several columns of the file have a name like %q", name)
		case found == "":
			lacks = append(lacks, fmt.Sprintf("%q", name))
		}
	}
	if len(lacks) == 0 {
		return nil
	}
	hint := ""
	if found, _ := resolve(names, m.now.to); found == "" {
		hint = "; the recipients must be in the column to, or in the column of --to-column"
	}
	return fmt.Errorf("the file has no column %s: it has %s%s", strings.Join(lacks, ", "), strings.Join(s.Columns, ", "), hint)
}

// make returns a row's message, in composed Unicode (NFC).
func (m *Message) make(row Row) (*griot.Message, error) {
	made, err := m.fill(m.now, row.Values)
	if err != nil {
		return nil, &RowError{row, err.Error()}
	}
	return made, nil
}

// fill returns the message of a row's values.
func (m *Message) fill(t *templates, values map[string]string) (out *griot.Message, err error) {
	made := m.Base
	if made.To, err = m.recipient(t.recipient(t.value(values, t.to))); err != nil {
		return nil, err
	}
	if made.Channel == "" {
		made.Channel = griot.Auto
		if isEmail(made.To) {
			made.Channel = griot.Email
		}
	}
	if (made.Channel == griot.Email) != isEmail(made.To) || made.Channel == griot.SMS && whatsappid.Is(made.To) {
		return nil, fmt.Errorf("%q can't be used with the channel %s", m.To, made.Channel)
	}
	render := func(one *Template, escape func(string) string) (s string) {
		if err == nil {
			s, err = one.render(func(column string) string { return t.value(values, column) }, escape)
		}
		return t.form(s)
	}
	made.Text, made.Subject, made.HTML = render(t.text, nil), render(t.subject, nil), render(t.html, html.EscapeString)
	all := func(templates map[string]*Template) map[string]string {
		if len(templates) == 0 {
			return nil
		}
		filled := make(map[string]string, len(templates))
		for name, one := range templates {
			filled[name] = render(one, nil)
		}
		return filled
	}
	made.PresetVariables, made.Metadata = all(t.variables), all(t.metadata)
	if err != nil {
		return nil, err
	}
	return &made, nil
}

// isEmail reports whether a recipient that was parsed is an email address.
func isEmail(to string) bool { return strings.Contains(to, "@") && !whatsappid.Is(to) }

// rounded is a number as spreadsheets show it in scientific notation, which loses its last digits: 2.23760E+10.
var rounded = regexp.MustCompile(`^[+-]?[0-9]+([.,][0-9]+)?[eE][+-]?[0-9]+$`)

// recipient parses the cell of a recipient. The error does not repeat the cell's content.
func (m *Message) recipient(s string) (string, error) {
	if s == "" {
		return "", fmt.Errorf("%q is empty", m.To)
	}
	if whatsappid.Is(s) {
		return s, nil
	}
	if before, after, ok := strings.Cut(s, "@"); ok {
		if before == "" || after == "" || strings.ContainsAny(s, " ,;<>") {
			return "", fmt.Errorf("%q isn't an email address", m.To)
		}
		return s, nil
	}
	switch {
	case rounded.MatchString(s):
		return "", fmt.Errorf("%q was rounded by a spreadsheet: format the column as text, enter the whole number, and save the file again", m.To)
	case m.logs && !strings.Contains(s, "+"):
		s = "+" + s
	}
	n, err := m.Region.Read(s)
	wrong, _ := errors.AsType[*phone.ReadError](err)
	switch {
	case err == nil:
		return n.E164(), nil
	case wrong.Problem == phone.ProblemNoCountry, wrong.Problem == phone.ProblemPrefix:
		return "", fmt.Errorf("%q %w, or set its country with --country", m.To, err)
	}
	return "", fmt.Errorf("%q %w", m.To, err)
}
