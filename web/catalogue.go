package web

import (
	"strconv"
	"strings"

	"example.com/griot/internal/fault"
	"example.com/griot/web/reference"
)

// Catalogue is the list of all errors. The first line of a code has it as its anchor,
// so a service's own section is first.
type Catalogue struct {
	Sections []Section
	Query    string                // what is searched for
	Uses     func(code string) int // how many operations may answer with a code; nil: not known
}

// Section is the part of a Catalogue about one service.
type Section struct {
	Title, Body string
	Kinds       []Kind
	Own         bool // of the service that shows the page
	Hidden      bool // nothing in it is what is searched for
}

// Kind is one line of a Catalogue.
type Kind struct {
	Status      int
	Code, OAuth string
	Text, Fix   string

	// These are filled in by Shown.
	Anchor string
	Uses   int  // how many of the service's operations may answer with it
	Hidden bool // it is not what is searched for
}

// ErrorCatalogue is the data of [PageErrors]: the errors of both services, those of own first.
func ErrorCatalogue(own fault.Service) Catalogue {
	login := section("Login by message", fault.AuthKinds())
	messaging := section("Messaging", fault.MessagingKinds())
	if own == fault.Messaging {
		messaging.Own = true
		return Catalogue{Sections: []Section{messaging, login}}
	}
	login.Own = true
	return Catalogue{Sections: []Section{login, messaging}}
}

func section(title string, kinds []*fault.Kind) Section {
	s := Section{Title: title}
	for _, k := range kinds {
		s.Kinds = append(s.Kinds, Kind{Status: k.Status, Code: k.Code, OAuth: k.OAuth, Text: k.Text, Fix: k.Fix})
	}
	return s
}

// Shown returns the sections with the anchor of each code at its first line, and with what the search leaves out hidden.
func (c Catalogue) Shown() []Section {
	seen := map[string]bool{}
	sections := make([]Section, len(c.Sections))
	for i, s := range c.Sections {
		s.Kinds, s.Hidden = append([]Kind(nil), s.Kinds...), true
		for j := range s.Kinds {
			k := &s.Kinds[j]
			if !seen[k.Code] {
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

// Found is how many lines are what is searched for.
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
