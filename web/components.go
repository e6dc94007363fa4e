package web

import (
	"cmp"

	"example.com/griot/internal/i18n"
	"example.com/griot/web/reference"
)

// The data of those components of templates/app/components.html that take data. The others
// are written out in the pages, as PageComponents shows.

// Field is a labeled input, for {{template "field"}}.
type Field struct {
	ID, Name, Label, Value string
	Type                   string // of the input; empty: text
	Autocomplete           string // empty: off
	Placeholder            string
	InputMode              string
	Hint, Wrong            string // help for filling it in; the problem with the value
	Required               bool
	Focus                  bool // the page opens with the focus in it
}

// Select is a labeled choice, for {{template "select"}}.
type Select struct {
	ID, Name, Label, Hint, Wrong string
	Options                      []Option
}

// Option is an option of a [Select].
type Option struct {
	Value, Label string
	Selected     bool
}

// StaleText returns the text of a stale form for a field: the value that was saved after the form was shown. It is
// empty if the form already has that value.
func StaleText(lang i18n.Lang, typed, saved string) string {
	if typed == saved {
		return ""
	}
	return lang.T("component.stale_value", cmp.Or(saved, lang.T("component.stale_none")))
}

// Code is a block of text to copy, for {{template "code"}}. ID is its element's.
type Code struct{ ID, Title, Text string }

// Empty is the text for an empty page with the next step, for {{template "empty"}}.
type Empty struct {
	Icon, Title, Text string
	ActionURL, Action string
	Snippet           *Code
}

// Stat is an important number, for {{template "stat"}} within a <dl>.
type Stat struct {
	Label, Value, Note string
	Trend              Trend
}

// Trend colors a [Stat]'s note.
type Trend string

// Trends. Without one, the note is plain.
const (
	TrendGood Trend = "up"
	TrendBad  Trend = "down"
)

// Reason is the code of a failed message, for {{template "reason"}}.
type Reason struct {
	Code    string
	URL     string // its explanation
	LogsURL string // the messages that failed with it
}

// ReasonURL returns the address of the explanation of a failed message's code, or of its class if the code has no
// explanation. class can be empty.
func ReasonURL(code, class string) string {
	known, _, _ := i18n.EN.Reason(code, class)
	return reference.Errors + "#reason-" + known
}

// Tab is a link to a part of a page, for {{template "tabs"}}.
type Tab struct {
	URL, Label string
	Current    bool
}

// Tabs are links to the parts of a page. Label names them for screen readers.
type Tabs struct {
	Label string
	Items []Tab
}

// Pagination has the links through a list, for {{template "pagination"}}. An empty URL means that
// there is no page in that direction.
type Pagination struct {
	Text               string
	FirstURL           string // for a page that doesn't know a newer one
	NewerURL, OlderURL string
}

// Tone is the color of a status or a message, by how good it is.
type Tone string

// Tones. Without one, it is neutral.
const (
	Good Tone = "good"
	Warn Tone = "warn"
	Bad  Tone = "bad"
	Info Tone = "info"
)

// Badge is a status, for {{template "badge"}}.
type Badge struct {
	Text string
	Tone Tone
}

// Alert is an important message for the person, for {{template "alert"}}.
type Alert struct {
	Tone        Tone
	Title, Text string
	URL, Action string
}
