package dashboard

import (
	"net/url"
	"time"

	"example.com/griot/internal/isotime"
	"example.com/griot/web"
)

// A list contains the parts of a page around the rows of a list: the filters in the URL, and the links to other pages of the list.
type list struct {
	AllURL   string // without filters
	Filtered bool
	Wrong    string // the error in the URL
	Pages    web.Pagination
	Empty    *web.Empty
}

// finish adds the number of rows between two cursors, or explains why there are none. place returns the address of
// the list at a cursor. texts is the prefix of the keys of the list's texts, and none is shown if the list has no
// rows at all.
func (l *list) finish(v *visit, rows int, cursor, next string, place func(cursor string) string, texts string, none web.Empty) {
	if cursor != "" {
		l.Pages.FirstURL = place("")
	}
	if next != "" {
		l.Pages.OlderURL = place(next)
	}
	switch {
	case rows > 0:
		l.Pages.Text = v.lang.T(texts+"count", number(v.lang, int64(rows)))
	case next != "": // no row within the read limit of a request matches the filter
		l.Pages.Text = v.lang.T(texts + "further")
	case l.Filtered || cursor != "":
		l.Empty = &web.Empty{Icon: "search", Title: v.lang.T(texts + "none_found"), Text: v.lang.T(texts + "none_found_text"), ActionURL: l.AllURL, Action: v.lang.T("dashboard.logs.all")}
	default:
		l.Empty = &none
	}
}

// placeIn returns a function for the addresses of a list, with the named filters of a query.
func (v *visit) placeIn(path string, q url.Values, names ...string) func(cursor string) string {
	return func(cursor string) string {
		of := map[string]string{"cursor": cursor}
		for _, name := range names {
			of[name] = q.Get(name)
		}
		return v.url(withQuery(path, of))
	}
}

// A period contains the fields of a list's first and last day, and the corresponding times in the account's time zone.
type period struct {
	Since, Until web.Field
	from, to     time.Time // to is the end of the last day
}

func (v *visit) period(q url.Values) period {
	p := period{
		Since: web.Field{ID: "since", Name: "since", Label: v.lang.T("dashboard.logs.since"), Value: q.Get("since"), Type: "date"},
		Until: web.Field{ID: "until", Name: "until", Label: v.lang.T("dashboard.logs.until"), Value: q.Get("until"), Type: "date"},
	}
	p.from = readDay(v, &p.Since)
	if p.to = readDay(v, &p.Until); !p.to.IsZero() {
		p.to = v.startOfDay(p.to, 1)
	}
	return p
}

// given reports whether a day was given. valid reports whether the given values are days.
func (p *period) given() bool { return p.Since.Value != "" || p.Until.Value != "" }
func (p *period) valid() bool { return p.Since.Wrong == "" && p.Until.Wrong == "" }

// readDay returns the start of a field's day in the account's time zone.
func readDay(v *visit, field *web.Field) time.Time {
	if field.Value == "" {
		return time.Time{}
	}
	at, err := time.Parse(time.DateOnly, field.Value)
	if err != nil || at.Year() < 1970 || at.Year() > 9998 {
		field.Wrong = v.lang.T("dashboard.logs.no_day")
		return time.Time{}
	}
	return isotime.StartOfDay(at.Year(), at.Month(), at.Day(), v.zone())
}
