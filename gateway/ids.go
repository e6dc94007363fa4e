package gateway

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// IsRef reports whether s has the form of our references, with at most maxLength characters.
func IsRef(s string, maxLength int) bool {
	return s != "" && len(s) <= maxLength && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
	})
}

// CheckRef returns why a gateway that takes references of at most maxLength characters can't take the message, or nil.
func (out *Outbound) CheckRef(maxLength int) *Error {
	if !IsRef(out.Ref, maxLength) {
		return &Error{Class: Permanent, Code: "reference_invalid"}
	}
	return nil
}

// DeriveID returns an id that is derived from parts. It is for inbound messages whose gateway gives no unique id: the
// parts together must tell a message from any other.
func DeriveID(parts ...string) string {
	h := sha256.New()
	for _, part := range parts {
		_, _ = h.Write([]byte(strconv.Itoa(len(part)) + ":" + part))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
