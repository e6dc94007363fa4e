package i18n

import (
	"strings"

	"example.com/griot/internal/phone"
)

// CallingCode returns a calling code with its plus, after the name of its country if it belongs to one: Mali (+223).
// The names are those of the CLDR; golang.org/x/text/language/display, which also has them, would add 2.5 MB to the
// program.
func (l Lang) CallingCode(code string) string {
	if key := "country." + strings.ToLower(phone.RegionOf(code)); l.Has(key) {
		return l.T(key) + " (+" + code + ")"
	}
	return "+" + code
}

// CountryName returns the name of a country by its ISO 3166-1 code or its calling code, as far as there is one.
func (l Lang) CountryName(code string) string {
	if key := "country." + strings.ToLower(code); l.Has(key) {
		return l.T(key)
	}
	if strings.Trim(code, "0123456789") == "" {
		return l.CallingCode(code)
	}
	return code
}
