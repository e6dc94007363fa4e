package web

import (
	"net/http"
	"strings"
	"time"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/i18n"
)

// ownTextsSince is the date of the conditions and the privacy notices that come with Griot. It changes with their sentences.
var ownTextsSince = time.Date(2026, time.November, 22, 0, 0, 0, 0, time.UTC)

// Operator is the operator who is responsible for a service.
type Operator struct {
	Name    string    // of a company or a person
	Contact string    // an email address, or the URL of a page
	Since   time.Time // effective date of the operator's texts; zero: not given
}

// Legal serves the pages /terms and /privacy of a service.
type Legal struct {
	pages          *Pages
	service        apierror.Service
	operator       Operator
	terms, privacy []string

	Replies func() bool // reports whether the login service confirms sign-ins by a reply, which its own terms say; nil: never
}

// NewLegal returns the pages of a service at an address, whose host is the name of an operator without one. The texts
// are the operator's own, with empty lines between paragraphs. If they are empty, the texts that come with Griot are
// shown.
func NewLegal(pages *Pages, service apierror.Service, url string, operator Operator, terms, privacy string) *Legal {
	if operator.Name == "" {
		_, operator.Name, _ = strings.Cut(url, "://")
	}
	return &Legal{pages: pages, service: service, operator: operator, terms: paragraphs(terms), privacy: paragraphs(privacy)}
}

// Terms serves the conditions of use.
func (l *Legal) Terms(w http.ResponseWriter, r *http.Request) error {
	return l.pages.Serve(w, r, http.StatusOK, PageTerms, LegalText{l.service, l.operator, l.terms, l.Replies != nil && l.Replies()})
}

// Privacy serves the privacy notice.
func (l *Legal) Privacy(w http.ResponseWriter, r *http.Request) error {
	return l.pages.Serve(w, r, http.StatusOK, PagePrivacy, LegalText{l.service, l.operator, l.privacy, false})
}

// LegalText is a page of conditions: the operator's paragraphs, or those that come with Griot.
type LegalText struct {
	Service    apierror.Service
	Operator   Operator
	Paragraphs []string
	Replies    bool // see [Legal]
}

// Since returns the effective date of the text, or the zero time if it is not given.
func (t LegalText) Since() time.Time {
	if t.Operator.Since.IsZero() && len(t.Paragraphs) == 0 {
		return ownTextsSince
	}
	return t.Operator.Since
}

// contactURL returns the URL for contacting an operator, from an email address or the URL of a page.
func contactURL(contact string) string {
	if strings.Contains(contact, "://") {
		return contact
	}
	return "mailto:" + contact
}

// paragraphs splits a text at its empty lines.
func paragraphs(text string) []string {
	var list []string
	text = strings.ReplaceAll(text, "\r\n", "\n")
	for p := range strings.SplitSeq(text, "\n\n") {
		if p = strings.TrimSpace(p); p != "" {
			list = append(list, p)
		}
	}
	return list
}

// dateIn returns a function that formats a day in words.
func dateIn(lang i18n.Lang) func(time.Time) string {
	return func(day time.Time) string {
		if lang != i18n.FR {
			return day.Format("2 January 2006")
		}
		months := []string{"janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre", "décembre"}
		number := day.Format("2")
		if number == "1" {
			number = "1er"
		}
		return number + " " + months[day.Month()-1] + day.Format(" 2006")
	}
}
