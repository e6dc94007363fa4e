package visible

import (
	"regexp"
	"strings"
)

// alike writes the characters that look like those of an address as these.
var alike = strings.NewReplacer("：", ":", "／", "/", "⁄", "/", "∕", "/", "⧸", "/", "．", ".", "。", ".", "｡", ".", "․", ".", "ｗ", "w", "Ｗ", "w", `\`, "/")

var address = regexp.MustCompile(`://|\bwww\.|[\pL\pN]\.\pL{2,}(:[0-9]+)?/`)

// HasAddress reports whether a text has an address that mail programs make a link of: a scheme, www., or a host with a path.
// A host alone, such as booking.example, is a name that organizations have.
func HasAddress(s string) bool { return address.MatchString(strings.ToLower(alike.Replace(s))) }
