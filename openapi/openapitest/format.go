package openapitest

import (
	"errors"
	"net/mail"
	"net/url"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
)

// formats returns checks of the formats in the documents that kin treats as comments or checks only by shape.
func formats() openapi3.SchemaValidationOption {
	all := map[string]openapi3.StringFormatValidator{}
	for name, check := range formatChecks() {
		all[name] = openapi3.NewCallbackValidator(check)
	}
	return openapi3.WithStringFormatValidators(all)
}

func formatChecks() map[string]func(string) error {
	return map[string]func(string) error{"uri": uri, "date-time": dateTime, "email": email}
}

// uriBytes are the characters that RFC 3986 allows in a URI, in addition to letters and digits.
const uriBytes = "-._~:/?#[]@!$&'()*+,;=%"

func uri(s string) error {
	for _, c := range s {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && !strings.ContainsRune(uriBytes, c) {
			return errors.New("a URI has no such character")
		}
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme == "" {
		return errors.New("not an absolute URI")
	}
	return nil
}

func dateTime(s string) error {
	if _, err := time.Parse(time.RFC3339Nano, s); err != nil {
		return errors.New("not a date and time of RFC 3339")
	}
	return nil
}

func email(s string) error {
	if a, err := mail.ParseAddress(s); err != nil || a.Address != s {
		return errors.New("not a plain email address")
	}
	return nil
}
