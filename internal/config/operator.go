package config

import (
	"errors"
	"net/mail"
	"net/url"
	"time"
	"unicode/utf8"
)

// Operator is who runs the services, as the pages /terms and /privacy name them.
type Operator struct {
	Name    string `yaml:"name" env:"NAME"`       // of a company or a person
	Contact string `yaml:"contact" env:"CONTACT"` // an e-mail address, or the https address of a page
	Since   string `yaml:"since" env:"SINCE"`     // since when the texts hold: 2026-03-01
}

// maxOperator is the most characters of a name or a contact.
const maxOperator = 200

// Check returns what is wrong with the settings.
func (o Operator) Check() error {
	var errs []error
	if utf8.RuneCountInString(o.Name) > maxOperator {
		errs = append(errs, errors.New("config: operator.name: at most 200 characters"))
	}
	if o.Contact != "" && !isContact(o.Contact) {
		errs = append(errs, errors.New("config: operator.contact: an e-mail address (help@example.com) or the address of a page (https://example.com/help)"))
	}
	if _, err := o.SinceDay(); err != nil {
		errs = append(errs, errors.New("config: operator.since: a day, such as 2026-03-01"))
	}
	return errors.Join(errs...)
}

// SinceDay is Since as a time, zero where it is empty.
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
