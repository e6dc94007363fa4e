package config

import (
	"net/mail"
	"net/url"
	"time"
	"unicode/utf8"
)

// Operator is the operator of the services that the pages /terms and /privacy name.
type Operator struct {
	Name    string `yaml:"name" env:"NAME"`       // of a company or a person
	Contact string `yaml:"contact" env:"CONTACT"` // an email address, or the https URL of a page
	Since   string `yaml:"since" env:"SINCE"`     // effective date of the texts: 2026-03-01
}

// maxOperator is the maximum length of a name or a contact, in characters.
const maxOperator = 200

func (o Operator) check(p *CheckError) {
	if utf8.RuneCountInString(o.Name) > maxOperator {
		p.add("operator.name", "at most 200 characters", "")
	}
	if o.Contact != "" && !isContact(o.Contact) {
		p.add("operator.contact", "must be an email address (help@example.com) or the address of a page (https://example.com/help)", "")
	}
	if _, err := o.SinceDay(); err != nil {
		p.add("operator.since", "must be a day, such as 2026-03-01", "")
	}
}

// SinceDay returns Since as a time; zero if it is empty.
func (o Operator) SinceDay() (time.Time, error) {
	if o.Since == "" {
		return time.Time{}, nil
	}
	return time.Parse(time.DateOnly, o.Since)
}

func isContact(s string) bool {
	if utf8.RuneCountInString(s) > maxOperator {
		return false
	}
	if address, err := mail.ParseAddress(s); err == nil {
		return address.Address == s
	}
	u, err := url.Parse(s)
	return err == nil && u.Scheme == "https" && u.Host != "" && u.User == nil
}
