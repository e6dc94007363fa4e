package virtual

import "strings"

// continues reports whether ref is base, or the reference of the same message on a later route: base with the suffix
// "-2", "-3", and so on.
func continues(base, ref string) bool {
	rest, ok := strings.CutPrefix(ref, base)
	if !ok || rest == "" {
		return ok
	}
	digits, ok := strings.CutPrefix(rest, "-")
	return ok && digits != "" && digits[0] != '0' && digits != "1" && strings.Trim(digits, "0123456789") == ""
}
