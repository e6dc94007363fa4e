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

// CheckRef returns the reason why a gateway that accepts references of at most maxLength characters cannot send the message, or nil.
func (out *Outbound) CheckRef(maxLength int) *Error {
	if !IsRef(out.Ref, maxLength) {
		return &Error{Class: Permanent, Code: "reference_invalid"}
	}
	return nil
}

// DeriveID returns an ID derived from parts. It is for inbound messages whose gateway provides no unique ID. The
// parts together must distinguish the message from any other.
func DeriveID(parts ...string) string {
	h := sha256.New()
	for _, part := range parts {
		_, _ = h.Write([]byte(strconv.Itoa(len(part)) + ":" + part))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
