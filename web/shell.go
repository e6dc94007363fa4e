package web

import (
	"net/http"
	"time"
)

// Shell is the frame around a dashboard's page: the person and the navigation.
type Shell struct {
	Service   string // name of the dashboard, next to the brand
	Home      string // path of the overview
	Nav       []NavGroup
	Account   string        // the current one
	Accounts  []AccountLink // all that the person can switch to; empty: the account is only named
	Mode      Mode          // empty: the dashboard doesn't distinguish LIVE and TEST
	BothModes bool          // the page is the same in both modes
	LiveURL   string        // the same page in each mode; both empty: the mode is only named
	TestURL   string
	Person    string // email address, or another name of the signed-in person
	SignOut   string // target of the POST that signs out
	Alerts    AlertCount
	Done      string         // confirmation of the last form, shown briefly
	Notice    string         // information for the person before they use the page
	Wrong     string         // the problem with the last form
	Refusal   string         // the refusal of the last form, in English
	Secret    *Code          // new secret of the last form, shown only once
	FormMark  string         // owner of the page's forms; see [forms.Keeper]
	Now       time.Time      // the server's time, for times such as "5 minutes ago"
	Zone      *time.Location // time zone of the page; nil: UTC

	FormOrigins []string // other sites to which the page's forms can redirect
	Frames      bool     // the page shows emails in frames
}

// AlertCount is the number of alerts and their page; 0: none.
type AlertCount struct {
	Count     int
	URL, Text string // Text contains the count in words
}

// Mode is the mode of messages: real or simulated.
type Mode string

// The modes of a dashboard.
const (
	LiveMode Mode = "LIVE"
	TestMode Mode = "TEST"
)

// NavGroup is a group of the navigation, with or without a title.
type NavGroup struct {
	Title string
	Items []NavItem
}

// NavItem is a link of the navigation. Count, if it is not 0, is the number of waiting items on its page.
type NavItem struct {
	URL, Label, Icon string
	Current          bool
	Count            int
}

// AccountLink is an account that the person can switch to, by a POST to its URL.
type AccountLink struct {
	URL, Name string
	Current   bool
}

// ServeApp responds with a page of a dashboard, which is one of templates/app; see [Pages.Serve].
func (p *Pages) ServeApp(w http.ResponseWriter, r *http.Request, status int, page string, shell *Shell, data any) error {
	return p.serve(w, r, status, page, view{Shell: shell, Data: data})
}
