// Package whatsappid parses the IDs by which WhatsApp identifies a person without their phone number.
//
// The Cloud API has business-scoped user IDs: two capital letters, a dot, and up to 128 letters and digits, as in
// ML.9001. The ID of a parent portfolio has ENT. after the first dot. A business-scoped ID is the same at all numbers
// of a portfolio, and means nothing outside of it. It changes with the person's number. Linked numbers have LIDs:
// digits, written with @lid. An ID is compared as it is. It never has the form of a phone number or an email address.
package whatsappid

import "strings"

// Maximum lengths, in characters.
const (
	maxBusiness = 128 // after the prefix
	maxLinked   = 20  // digits
	// MaxLength is the length of the longest ID.
	MaxLength = len("ML.ENT.") + maxBusiness
)

const (
	linkedSuffix = "@lid"
	parentPrefix = "ENT."
)

// ID is a business-scoped user ID, a parent ID, or a LID.
type ID string

// Parse parses an ID. ok is false for anything else, such as a number, a LID without its suffix, or an ID with
// surrounding spaces.
func Parse(s string) (id ID, ok bool) {
	if digits, isLinked := strings.CutSuffix(s, linkedSuffix); isLinked {
		return ID(s), digits != "" && len(digits) <= maxLinked && digits[0] != '0' && strings.Trim(digits, "0123456789") == ""
	}
	if len(s) < len("ML.1") || !isUpper(s[0]) || !isUpper(s[1]) || s[2] != '.' {
		return "", false
	}
	rest := strings.TrimPrefix(s[len("ML."):], parentPrefix)
	if rest == "" || len(rest) > maxBusiness {
		return "", false
	}
	for i := range len(rest) {
		if c := rest[i]; !isUpper(c) && (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return "", false
		}
	}
	return ID(s), true
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }

// Is reports whether s is an ID.
func Is(s string) bool {
	_, ok := Parse(s)
	return ok
}

// Linked reports whether the ID is a LID.
func (id ID) Linked() bool { return strings.HasSuffix(string(id), linkedSuffix) }

// Parent reports whether the ID is that of a parent portfolio.
func (id ID) Parent() bool {
	return !id.Linked() && strings.HasPrefix(string(id)[len("ML."):], parentPrefix)
}

// shown is the number of characters of an ID's end in its short form.
const shown = 4

// Short returns a short form for pages: the prefix and the last four characters, as in ML.…9001. It doesn't identify a
// person.
func (id ID) Short() string {
	prefix, rest, suffix := "", string(id), ""
	if id.Linked() {
		rest, suffix = strings.TrimSuffix(rest, linkedSuffix), linkedSuffix
	} else {
		cut := len("ML.")
		if id.Parent() {
			cut += len(parentPrefix)
		}
		prefix, rest = rest[:cut], rest[cut:]
	}
	if len(rest) <= 2*shown {
		return string(id)
	}
	return prefix + "…" + rest[len(rest)-shown:] + suffix
}

// Masked returns the ID in the format of events and logs: its prefix and the last two characters.
func (id ID) Masked() string {
	if id.Linked() {
		return "***" + id.last(2+len(linkedSuffix))
	}
	return string(id)[:len("ML.")] + "***" + id.last(2)
}

// last returns the last n characters, or none if they would be the whole ID.
func (id ID) last(n int) string {
	if len(id) <= n+len("ML.")+1 {
		return ""
	}
	return string(id)[len(id)-n:]
}
