package web

import (
	"fmt"
	"html/template"
	"time"
)

// The names of the pages, for [Pages.Render]. Each takes the data of the type named beside it.
const (
	PageWaiting   = "waiting"    // Waiting
	PagePlain     = "plain"      // Plain
	PageReturn    = "return"     // *Return
	PageSignedOut = "signed_out" // nil
	PageTerms     = "terms"      // LegalText
	PagePrivacy   = "privacy"    // LegalText
	PagePhones    = "phones"     // nil
	PageError     = "error"      // Failure
	PageErrors    = "errors"     // Catalogue
	PageReference = "reference"  // ReferenceIndex
	PageOperation = "operation"  // ReferenceOperation
	PageObject    = "object"     // ReferenceObject
	PageBook      = "book"       // BookPage
	PageDemo      = "demo"       // Demo
	PageDemoDone  = "demo_done"  // DemoDone
	PageDemoError = "demo_error" // DemoError

	PageBookContents = "book_contents" // BookContents
)

// PageComponents shows every component, for [Pages.ServeApp] with what [ComponentExamples] returns.
const PageComponents = "component_page"

// Waiting is the waiting page. Without Login it holds nothing about the login: its script
// requests the status.
type Waiting struct {
	PhonesURL  string // where the virtual phones are, when there are any
	LoginKeyID string // an ID26 for browsers without scripts, or empty
	Login      *WaitingLogin
}

// WaitingLogin is a login that waits, for its own browser.
type WaitingLogin struct {
	Tenant, Accent string
	Logo           string // the name of the tenant's picture below /logos/; empty: none
	Words          []string
	Test           bool
	Activated      bool
	ExpiresAt, At  string // as in the status
	Left, Lifetime time.Duration
}

// styles are the style sheets that its page has.
func (l *WaitingLogin) styles() []string {
	styles := []string{"css/griot.css", "css/waiting.css"}
	if l.Accent != "" {
		styles = append(styles, "css/accents.css")
	}
	return styles
}

// Clock is the time that is left, in minutes and seconds.
func (l *WaitingLogin) Clock() string {
	seconds := int((l.Left + time.Second - 1) / time.Second)
	return fmt.Sprintf("%d:%02d", seconds/60, seconds%60)
}

// Spent is the part of the time that is over, from 0 to 1.
func (l *WaitingLogin) Spent() string {
	return fmt.Sprintf("%.3f", 1-l.Left.Seconds()/l.Lifetime.Seconds())
}

// PlainView is what a Plain page shows.
type PlainView string

// What a Plain page shows: a login's statuses as a person sees them.
const (
	PlainOpen     PlainView = "open"
	PlainVerified PlainView = "verified"
	PlainConsumed PlainView = "consumed"
	PlainExpired  PlainView = "expired"
)

// Plain is the waiting page without scripts.
type Plain struct {
	View             PlainView
	LoginKeyID       string
	Tenant           string
	Words            string
	SecondsRemaining int
	Test             bool
	Receiver         string       // the number to send the words to, in digits; empty when there is none
	Phone            string       // whose words came, masked
	Numbers          []string     // of the sandbox
	EndedBy          string       // the API's endedBy; empty when time ended the login
	Back             template.URL // the application's address, once the login has ended
	Accent           string       // the tenant's color; empty: Griot's own
	Logo             string       // as of a [WaitingLogin]
}

// Return is the page that takes a person back to an application by a form.
type Return struct {
	Action    template.URL // the application's redirect address
	Host      string       // of it
	Origin    string       // of it, for the page's policy
	Fields    []ReturnField
	Wrong     string // what is wrong with the application's request, in English; empty: nothing
	Automatic bool   // the form is sent at once where scripts run
}

// ReturnField is a value that the application gets.
type ReturnField struct{ Name, Value string }

// Failure is an API error as a browser shows it.
type Failure struct {
	Status      int
	OAuth       string // the member error of the Error body
	Code        string
	Description string
	RequestID   string
	DocsURL     string
	Dashboard   string       // path of the dashboard that the person is at; empty: an application sent them here
	BackURL     template.URL // The address at which the application learns of the error. Empty where it doesn't.
	BackHost    string       // The host of BackURL.
	Wait        string       // when the request can be sent again; Pages.Serve sets it from Retry-After
	ShortCode   bool         // a QR code led here, and it is not, or no longer, one of a login
}

// Demo is the start page of the demo application.
type Demo struct{ Clients []DemoClient }

// DemoClient is a client that one can sign in to.
type DemoClient struct{ Name, ClientID, Type, Mode, StartURL string }

// DemoDone is the demo application's page after a login.
type DemoDone struct {
	Client   DemoClient
	Checks   []DemoCheck
	Claims   []DemoFact
	IDToken  []DemoFact // of OpenID Connect
	Profile  []DemoFact
	StartURL string // of the demo's start page
}

// DemoCheck is a check that the demo application made, and the value that passed it.
type DemoCheck struct{ What, Value string }

// DemoFact is a claim of the token or a member of the profile.
type DemoFact struct{ Name, Value, Note string }

// DemoError is a login that the demo application refused, or did not start.
type DemoError struct {
	Stray    bool   // the login was not started by this browser
	Reason   string // what happened, in the person's language
	Code     string // the error code, if there was one
	Detail   string // the authorization server's description
	StartURL string // of the demo's start page
}
