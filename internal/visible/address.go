package visible

import (
	"regexp"
	"strings"
)

// alike replaces characters that look like those of a URL with these.
var alike = strings.NewReplacer("：", ":", "／", "/", "⁄", "/", "∕", "/", "⧸", "/", "．", ".", "。", ".", "｡", ".", "․", ".", "ｗ", "w", "Ｗ", "w", `\`, "/")

var address = regexp.MustCompile(`://|\bwww\.|[\pL\pN]\.\pL{2,}(:[0-9]+)?/`)

// HasAddress reports whether a text contains an address that mail programs turn into a link: a scheme, www., or a host
// with a path. A host alone, such as booking.example, is allowed because organizations use such names.
func HasAddress(s string) bool { return address.MatchString(strings.ToLower(alike.Replace(s))) }
