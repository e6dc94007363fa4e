package web

import (
	"fmt"
	"html/template"
	"time"
)

// The names of the pages, for [Pages.Render]. Each takes the data of the type in the comment next to it.
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

// PageComponents shows every component, for [Pages.ServeApp] with the result of [ComponentExamples].
const PageComponents = "component_page"

// Waiting is the waiting page. Without Login it contains nothing about the login, and its script requests the status.
type Waiting struct {
	PhonesURL  string // address of the virtual phones, if they stand in for WhatsApp, which doesn't know the number; empty: they don't
	LoginKeyID string // an ID26 for browsers without scripts, or empty
	Login      *WaitingLogin
}

// WaitingLogin is a waiting login, for its own browser.
type WaitingLogin struct {
	Tenant, Accent string
	Host           string // to which the login returns
	Logo           string // the name of the tenant's picture below /logos/; empty: none
	Words          []string
	Test           bool
	Activated      bool
	ExpiresAt, At  string // as in the status
	Left, Lifetime time.Duration
	Held           string // as in the status; empty for most
}

// styles returns the style sheets of the login's page.
func (l *WaitingLogin) styles() []string {
	styles := []string{"css/griot.css", "css/waiting.css"}
	if l.Accent != "" {
		styles = append(styles, "css/accents.css")
	}
	return styles
}

// HasWords reports whether the words have arrived, from someone whose number WhatsApp hides.
func (l *WaitingLogin) HasWords() bool { return hasWords(l.Held) }

func hasWords(held string) bool { return held == "number_hidden" || held == "number_requested" }

// Clock returns the remaining time, in minutes and seconds.
func (l *WaitingLogin) Clock() string {
	seconds := int((l.Left + time.Second - 1) / time.Second)
	return fmt.Sprintf("%d:%02d", seconds/60, seconds%60)
}

// Spent returns the elapsed part of the time, from 0 to 1.
func (l *WaitingLogin) Spent() string {
	return fmt.Sprintf("%.3f", 1-l.Left.Seconds()/l.Lifetime.Seconds())
}

// PlainView is the content of a Plain page.
type PlainView string

// The contents of a Plain page: a login's statuses from the person's view.
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
	Host             string // to which the login returns
	Words            string
	SecondsRemaining int
	Test             bool
	Receiver         string       // the number that receives the words, in digits; empty if there is none
	PhonesURL        string       // as in a [Waiting]
	Phone            string       // that sent the words, masked
	Numbers          []string     // of the sandbox
	EndedBy          string       // the API's endedBy; empty if the login timed out
	Held             string       // the API's held; empty for most
	Back             template.URL // the application's address, after the login has ended
	Accent           string       // the tenant's color; empty: Griot's own
	Logo             string       // as in a [WaitingLogin]
}

// HasWords reports whether the words have arrived, from someone whose number WhatsApp hides.
func (p Plain) HasWords() bool { return hasWords(p.Held) }

// Return is the page that returns a person to an application by a form.
type Return struct {
	Action    template.URL // the application's redirect address
	Host      string       // of it
	Origin    string       // of it, for the page's policy
	Fields    []ReturnField
	Wrong     string // the error in the application's request, in English; empty: none
	Automatic bool   // the form is sent immediately if scripts run
}

// ReturnField is a value that the application receives.
type ReturnField struct{ Name, Value string }

// Failure is the page of an API error for a browser.
type Failure struct {
	Status      int
	OAuth       string // the field error of the Error body
	Code        string
	Description string
	RequestID   string
	DocsURL     string
	Dashboard   string       // path of the dashboard that the person uses; empty: an application sent them here
	BackURL     template.URL // The URL that reports the error to the application. Empty if there is none.
	BackHost    string       // The host of BackURL.
	Wait        string       // when the request can be sent again; Pages.Serve sets it from Retry-After
	ShortCode   bool         // the request came from a QR code that doesn't belong to a login, or no longer does
}

// Demo is the start page of the demo application.
type Demo struct{ Clients []DemoClient }

// DemoClient is a client for signing in.
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

// DemoFact is a claim of the token or a field of the profile.
type DemoFact struct{ Name, Value, Note string }

// DemoError is a login that the demo application refused or didn't start.
type DemoError struct {
	Stray    bool   // another browser started the login
	Reason   string // the reason, in the person's language
	Code     string // the error code, if there was one
	Detail   string // the authorization server's description
	StartURL string // of the demo's start page
}
