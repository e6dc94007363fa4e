package account

import (
	"strings"

	"example.com/griot/internal/phone"
)

// CheckCountry returns the stored form of a country: its ISO 3166-1 code in capitals (ML), or its calling code without
// a plus (223). An empty text is no country. ok is false for anything else.
func CheckCountry(s string) (country string, ok bool) {
	if country = strings.ToUpper(strings.TrimPrefix(strings.TrimSpace(s), "+")); country == "" {
		return "", true
	}
	_, ok = phone.ParseRegion(country)
	return country, ok && country[0] != '+'
}
