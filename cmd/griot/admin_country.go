package main

import (
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"example.com/griot/cmd/griot/exit"
	"example.com/griot/internal/phone"
	"example.com/griot/internal/whatsappid"
)

// countryFlag is the flag for the country of the numbers that a command is given; empty: they need a plus.
type countryFlag string

func (f *countryFlag) add(c *cobra.Command) {
	c.Flags().StringVar((*string)(f), "country", "", "country of a number without a +: its code (ML) or its calling code (223)")
}

// complete adds the country to a number without a plus. Anything that isn't a number stays as it is, and so does a text
// that can be a short code and is no number of the country. what names the value in errors.
func (f *countryFlag) complete(what, typed string, shortCode bool) (string, error) {
	if *f == "" {
		return typed, nil
	}
	region, ok := phone.ParseRegion(string(*f))
	if !ok {
		return "", exit.Usage("--country must be a country code, such as ML, or a calling code, such as 223")
	}
	trimmed := strings.TrimSpace(typed)
	if strings.ContainsFunc(trimmed, unicode.IsLetter) || strings.Contains(trimmed, "@") || whatsappid.Is(trimmed) || strings.HasPrefix(trimmed, "+") {
		return typed, nil
	}
	number, err := region.Read(trimmed)
	switch {
	case err == nil:
		return number.E164(), nil
	case shortCode && phone.IsShortCode(trimmed):
		return typed, nil
	}
	return "", exit.Usage("%s %w", what, err)
}
