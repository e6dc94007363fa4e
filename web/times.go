package web

import (
	"html/template"
	"regexp"
	"strings"
	"time"

	"example.com/griot/internal/i18n"
)

// Step is one step of a timeline, for {{template "timeline"}}.
type Step struct {
	At          time.Time
	Title, Text string
	Tone        Tone
	Of, OfURL   string // the affected record, and its page; empty: none
	Exact       bool   // At is shown to the second, and never as "5 minutes ago"
	Since       string // the time since the previous step, such as "+62 s"; empty: not shown
}

// timeElement returns the placeholder of a time, which [fillTimes] replaces.
func timeElement(at time.Time) template.HTML {
	return placeOf(at, "")
}

// shortTimeElement returns the placeholder of a time in a narrow list: the clock time for today, otherwise the day.
func shortTimeElement(at time.Time) template.HTML { return placeOf(at, ` class="short"`) }

// exactTimeElement returns the placeholder of a time to the second.
func exactTimeElement(at time.Time) template.HTML { return placeOf(at, ` class="exact"`) }

func placeOf(at time.Time, class string) template.HTML {
	if at.IsZero() {
		return "–"
	}
	return template.HTML(`<time` + class + ` datetime="` + at.UTC().Format(instant) + `"></time>`) //nolint:gosec // digits
}

const instant = "2006-01-02T15:04:05Z"

var emptyTime = regexp.MustCompile(`<time( class="(?:short|exact)")? datetime="([^"]+)"></time>`)

// fillTimes writes a page's times in a time zone, with UTC in their tooltips. Templates are parsed once and don't know
// the zone. A script makes the times relative, by the server's clock.
func fillTimes(page []byte, lang i18n.Lang, zone *time.Location, now time.Time) []byte {
	return emptyTime.ReplaceAllFunc(page, func(element []byte) []byte {
		found := emptyTime.FindSubmatch(element)
		class, text := string(found[1]), string(found[2])
		at, err := time.Parse(instant, text)
		if err != nil {
			return element
		}
		hint := at.Format(time.DateTime + " MST")
		if zone != time.UTC {
			hint = at.In(zone).Format(time.DateTime+" MST") + " · " + hint
		}
		shown := lang.Moment(at.In(zone))
		switch {
		case class == "":
		case strings.Contains(class, "exact"):
			shown = lang.Date(at.In(zone)) + at.In(zone).Format(" 15:04:05 MST")
		case lang.Date(at.In(zone)) == lang.Date(now.In(zone)):
			shown = at.In(zone).Format("15:04")
		default:
			shown = lang.Date(at.In(zone))
		}
		return []byte(`<time` + class + ` datetime="` + text + `" title="` + hint + `">` + shown + `</time>`)
	})
}
