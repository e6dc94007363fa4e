package setting

import (
	"errors"

	"example.com/griot/internal/phone"
)

// CountryCode parses country_code, the country of numbers that come without one. It can be empty.
func CountryCode(code string, home *phone.Region) error {
	var ok bool
	if *home, ok = phone.ParseHome(code); !ok && code != "" {
		return errors.New("settings: country_code must be a calling code in digits, such as 223, or with the first digits of a territory's numbers, such as 1876")
	}
	return nil
}
