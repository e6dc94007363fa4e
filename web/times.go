package web

import (
	"html/template"
	"time"

	"example.com/griot/internal/i18n"
)

// Step is one of what happened, for {{template "timeline"}}.
type Step struct {
	At          time.Time
	Title, Text string
	Tone        Tone
	Of, OfURL   string // the record that it happened to, and its page; empty: none
}

// timeElement shows a time in UTC. A script makes it relative, by the server's clock.
func timeElement(lang i18n.Lang) func(time.Time) template.HTML {
	layout := "2 Jan 2006, 15:04"
	if lang == i18n.FR {
		layout = "02/01/2006 15:04"
	}
	return func(at time.Time) template.HTML {
		if at.IsZero() {
			return "–"
		}
		at = at.UTC()
		return template.HTML(`<time datetime="` + at.Format("2006-01-02T15:04:05Z") + `" title="` + at.Format("2006-01-02 15:04:05") + ` UTC">` + at.Format(layout) + ` UTC</time>`) //nolint:gosec // digits and names of months
	}
}
