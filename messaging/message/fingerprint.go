package message

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"example.com/griot/internal/seal"
)

// Fingerprint identifies the request's content, to detect a replay with another body. A number is the same with and
// without its plus. The fingerprint is keyed, because a code of six digits could be guessed from a plain hash.
func (r *Request) Fingerprint(key []byte) string {
	asked := []any{strings.TrimPrefix(r.To, "+"), r.Channel, r.Content, r.Preset, r.Variables, r.SenderID, r.Sandbox, r.Sensitive, r.ScheduledAt, r.ExpiresAt, r.options()}
	if len(r.Metadata) > 0 { // not otherwise, so that fingerprints of older requests stay valid
		asked = append(asked, r.Metadata)
	}
	b, err := json.Marshal(asked)
	if err != nil {
		return "" // unreachable, because encoding cannot fail
	}
	return base64.RawURLEncoding.EncodeToString(seal.MAC(key, string(b)))
}

// SameRequest reports whether a stored fingerprint, or the beginning of one, might be that of a request with the
// fingerprint asked. Fingerprints of different kinds cannot be compared, so they are treated as equal. A newer
// program, or one with another key, starts its fingerprints with a version and a dot. Those without one have version
// 1.
func SameRequest(stored, asked string) bool {
	return fingerprintVersion(stored) != fingerprintVersion(asked) || strings.HasPrefix(asked, stored)
}

func fingerprintVersion(f string) string {
	version, _, found := strings.Cut(f, ".")
	if !found {
		return "1"
	}
	return version
}
