package virtual

import "strings"

// continues reports whether ref is base, or a reference under which the same message was tried on another channel:
// base and "-2", "-3" and so on.
func continues(base, ref string) bool {
	rest, ok := strings.CutPrefix(ref, base)
	if !ok || rest == "" {
		return ok
	}
	digits, ok := strings.CutPrefix(rest, "-")
	return ok && digits != "" && digits[0] != '0' && digits != "1" && strings.Trim(digits, "0123456789") == ""
}
