package web

import (
	"net/http"
	"time"
)

// Shell is what is around a dashboard's page: who is there, and where they can go.
type Shell struct {
	Service   string // what the dashboard is for, beside the brand
	Home      string // path of the overview
	Nav       []NavGroup
	Account   string        // the one that is shown
	Accounts  []AccountLink // all that the person may change to; none: the account is only named
	Mode      Mode          // empty: the dashboard does not distinguish LIVE and TEST
	BothModes bool          // the page is the same in both modes
	LiveURL   string        // the same page in the modes; both empty: the mode is only named
	TestURL   string
	Person    string // email address, or what else names who is signed in
	SignOut   string // path that a POST signs out at
	Alerts    AlertCount
	Done      string         // what the last form did, said once in passing
	Notice    string         // what the person ought to know before they use the page
	Wrong     string         // what was wrong with the last form
	Refusal   string         // why the last form was refused, in English
	Secret    *Code          // what the last form has made, shown this once
	FormMark  string         // for whom the page's forms are: see package unsent
	Now       time.Time      // the server's, by which times are written as "5 minutes ago"
	Zone      *time.Location // in which the page has its times; nil: UTC

	FormOrigins []string // other sites to which the page's forms may lead
	Frames      bool     // the page shows emails in frames
}

// AlertCount is how much the person ought to look at, and where it is; 0: nothing.
type AlertCount struct {
	Count     int
	URL, Text string // Text has the count in words
}

// Mode is whether messages are real.
type Mode string

// The modes of a dashboard.
const (
	LiveMode Mode = "LIVE"
	TestMode Mode = "TEST"
)

// NavGroup is a part of the navigation, with or without a title.
type NavGroup struct {
	Title string
	Items []NavItem
}

// NavItem is a link of the navigation. Count, when it is not 0, is how much waits there.
type NavItem struct {
	URL, Label, Icon string
	Current          bool
	Count            int
}

// AccountLink is an account that the person may change to, by a POST to its URL.
type AccountLink struct {
	URL, Name string
	Current   bool
}

// ServeApp is [Pages.Serve] for a page of a dashboard: one of templates/app.
func (p *Pages) ServeApp(w http.ResponseWriter, r *http.Request, status int, page string, shell *Shell, data any) error {
	return p.serve(w, r, status, page, view{Shell: shell, Data: data})
}
