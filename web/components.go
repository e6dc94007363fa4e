package web

import (
	"cmp"

	"example.com/griot/internal/i18n"
	"example.com/griot/web/reference"
)

// The data of the components of templates/app/components.html that take some. The others are
// written out where they stand; PageComponents shows how.

// Field is a labeled input, for {{template "field"}}.
type Field struct {
	ID, Name, Label, Value string
	Type                   string // of the input; empty: text
	Autocomplete           string // empty: off
	Placeholder            string
	InputMode              string
	Hint, Wrong            string // what helps to fill it in; what was wrong with it
	Required               bool
	Focus                  bool // the page opens with the focus in it
}

// Select is a labeled choice, for {{template "select"}}.
type Select struct {
	ID, Name, Label, Hint, Wrong string
	Options                      []Option
}

// Option is one of a [Select].
type Option struct {
	Value, Label string
	Selected     bool
}

// StaleText returns what a stale form shows at a field: the value that was saved after the form was shown. It is empty
// when that is the value which the form has.
func StaleText(lang i18n.Lang, typed, saved string) string {
	if typed == saved {
		return ""
	}
	return lang.T("component.stale_value", cmp.Or(saved, lang.T("component.stale_none")))
}

// Code is a block of text to copy, for {{template "code"}}. ID is its element's.
type Code struct{ ID, Title, Text string }

// Empty says what to do where there is nothing yet, for {{template "empty"}}.
type Empty struct {
	Icon, Title, Text string
	ActionURL, Action string
	Snippet           *Code
}

// Stat is a number that matters, for {{template "stat"}} within a <dl>.
type Stat struct {
	Label, Value, Note string
	Trend              Trend
}

// Trend colors a [Stat]'s note.
type Trend string

// Trends; without one the note is plain.
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

// ReasonURL returns the address of the explanation of a failed message's code, or of its class if the code has none. class
// can be empty.
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

// Pagination leads through a list, for {{template "pagination"}}; an empty address is an end.
type Pagination struct {
	Text               string
	FirstURL           string // where a page knows no newer one
	NewerURL, OlderURL string
}

// Tone is how good something is.
type Tone string

// Tones; without one it is neutral.
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

// Alert is what a person ought to know, for {{template "alert"}}.
type Alert struct {
	Tone        Tone
	Title, Text string
	URL, Action string
}
