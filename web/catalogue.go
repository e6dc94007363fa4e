package web

import (
	"strconv"
	"strings"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/i18n"
	"example.com/griot/web/reference"
)

// Catalogue is the list of all errors. The first line of a code has the code as its
// anchor, so the service's own section comes first.
type Catalogue struct {
	Sections []Section
	Query    string                // the search
	Uses     func(code string) int // number of operations that can respond with a code; nil: unknown
}

// Section is the part of a Catalogue about one service.
type Section struct {
	Title, Body string
	Anchor      string // of the section; empty: none
	Kinds       []Kind
	Lang        i18n.Lang
	Own         bool // of the service that shows the page
	Hidden      bool // nothing in it matches the search
}

// Kind is one line of a Catalogue.
type Kind struct {
	Status      int // 0: of a failed message, which has no status
	Code, OAuth string
	Text, Fix   string

	// Shown sets these fields, except for the anchor of a failed message's code.
	Anchor string
	Uses   int  // number of the service's operations that can respond with it
	Hidden bool // it doesn't match the search
}

// ErrorCatalogue is the data of [PageErrors]: the errors of both services, those of own first. For the messaging
// service, it includes the reasons of failed messages in a language.
func ErrorCatalogue(own apierror.Service, lang i18n.Lang) Catalogue {
	login := section("Login by message", apierror.AuthKinds())
	messaging := section("Messaging", apierror.MessagingKinds())
	if own == apierror.Messaging {
		messaging.Own = true
		return Catalogue{Sections: []Section{messaging, reasons(lang), login}}
	}
	login.Own = true
	return Catalogue{Sections: []Section{login, messaging}}
}

func section(title string, kinds []*apierror.Kind) Section {
	s := Section{Title: title, Lang: i18n.EN}
	for _, k := range kinds {
		s.Kinds = append(s.Kinds, Kind{Status: k.Status, Code: k.Code, OAuth: k.OAuth, Text: k.Text, Fix: k.Fix})
	}
	return s
}

// reasons returns the section of the codes of failed messages. Its own anchor is for codes without an explanation.
func reasons(lang i18n.Lang) Section {
	s := Section{Title: lang.T("reason.title"), Body: lang.T("reason.about"), Lang: lang, Anchor: "reason-"}
	for _, key := range lang.Keys() {
		if code, ok := strings.CutPrefix(key, i18n.CauseKey); ok {
			_, cause, advice := lang.Reason(code, "")
			s.Kinds = append(s.Kinds, Kind{Code: code, Text: cause, Fix: advice, Anchor: s.Anchor + code})
		}
	}
	return s
}

// Shown returns the sections with the anchor of each code at its first line. Lines that don't match the search are
// hidden.
func (c Catalogue) Shown() []Section {
	seen := map[string]bool{}
	sections := make([]Section, len(c.Sections))
	for i, s := range c.Sections {
		s.Kinds, s.Hidden = append([]Kind(nil), s.Kinds...), true
		for j := range s.Kinds {
			k := &s.Kinds[j]
			if k.Anchor == "" && !seen[k.Code] {
				k.Anchor, seen[k.Code] = k.Code, true
			}
			if s.Own && c.Uses != nil {
				k.Uses = c.Uses(k.Code)
			}
			k.Hidden = !reference.Matches(strings.Join([]string{strconv.Itoa(k.Status), k.Code, k.OAuth, k.Text, k.Fix}, " "), c.Query)
			s.Hidden = s.Hidden && k.Hidden
		}
		sections[i] = s
	}
	return sections
}

// Found returns the number of lines that match the search.
func (c Catalogue) Found() int {
	found := 0
	for _, s := range c.Shown() {
		for _, k := range s.Kinds {
			if !k.Hidden {
				found++
			}
		}
	}
	return found
}
