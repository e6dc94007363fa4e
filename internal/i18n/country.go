package i18n

import (
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"example.com/griot/internal/phone"
)

// Country returns the name of the country with an ISO 3166-1 code, or the code if it has none.
func (l Lang) Country(code string) string {
	region, err := language.ParseRegion(code)
	if err != nil {
		return code
	}
	names := display.French.Regions()
	if l == EN {
		names = display.English.Regions()
	}
	if name := names.Name(region); name != "" {
		return name
	}
	return code
}

// CallingCode returns a calling code with its plus, after the name of its country if it has one: Mali (+223).
func (l Lang) CallingCode(code string) string {
	if region := phone.RegionOf(code); region != "" {
		return l.Country(region) + " (+" + code + ")"
	}
	return "+" + code
}
