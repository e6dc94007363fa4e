package setting

import (
	"errors"
	"regexp"
)

var portfolioPattern = regexp.MustCompile(`\A[a-z0-9_-]{1,64}\z`)

// Portfolio checks the name of the scope of WhatsApp IDs (gateway.PersonID). It can be empty.
func Portfolio(name string) error {
	if name != "" && !portfolioPattern.MatchString(name) {
		return errors.New("settings: portfolio must be 1 to 64 lowercase letters, digits, dashes, or underscores")
	}
	return nil
}
