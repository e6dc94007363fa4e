package forms

import (
	"errors"
	"strconv"
	"strings"

	"example.com/griot/internal/seal"
)

// ErrStale is returned for a form whose values changed after it was shown.
var ErrStale = errors.New("forms: the values changed after the form was shown")

// VersionField is the name of the form field that carries a version.
const VersionField = "version"

// Version returns a short text that differs for different lists of values.
func Version(values ...string) string {
	var b strings.Builder
	for _, v := range values {
		b.WriteString(strconv.Itoa(len(v)) + ":" + v)
	}
	return seal.Hash(b.String())[:22]
}

// CheckVersion compares the version of the values that a form showed with the version of the stored values. It returns
// [ErrStale] if they differ, unless the form would store the values that are already stored. An empty shown is not checked,
// because only pages send a version.
func CheckVersion(shown, stored, saved string) error {
	if shown == "" || shown == stored || saved == stored {
		return nil
	}
	return ErrStale
}
