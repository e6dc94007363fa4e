package twilio

import (
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // used by Twilio's signatures; HMAC does not require SHA-1 to be free of collisions
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"hash"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// checkSignature returns the reason why a call to a URL below webhook_url is refused, or "" if its signature is valid.
// Twilio signs the URL with or without its port.
func (s *sender) checkSignature(header http.Header, target string, form url.Values) (problem string) {
	secret, algorithm, problem := s.settings.signingKey(header.Get(signatureSettings))
	if s.settings.WebhookURL == "" {
		problem = "webhook_url isn't set"
	}
	if problem != "" {
		return problem
	}
	equal := 0
	for _, base := range portVariants(s.settings.WebhookURL) {
		equal |= subtle.ConstantTimeCompare([]byte(header.Get("X-Twilio-Signature")), []byte(sign(algorithm, secret, base+target, form)))
	}
	if equal != 1 {
		return "its signature is not that of its key and webhook_url"
	}
	return ""
}

// signatureSettings is the header that names the shared key and the algorithm of a signature:
// "key=webhooks_sharedkey_…,algorithm=HMAC_SHA256". Twilio omits it if it signs with the auth token and HMAC-SHA1.
const signatureSettings = "X-Twilio-Webhooks-Signature-Settings"

// signingKey returns the secret and the hash of a call with the given [signatureSettings], or the reason why the call
// is refused. The header itself is not signed, so it selects only among the configured keys, each with one hash.
func (s *settings) signingKey(header string) (secret string, algorithm func() hash.Hash, problem string) {
	if header == "" {
		if s.AuthToken == "" {
			return "", nil, "it is signed with the auth token, and only shared_keys are configured"
		}
		return s.AuthToken, sha1.New, ""
	}
	named := map[string]string{}
	for part := range strings.SplitSeq(header, ",") {
		name, value, _ := strings.Cut(part, "=")
		named[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	if !strings.EqualFold(named["algorithm"], "HMAC_SHA256") {
		return "", nil, "its shared key has another algorithm than HMAC_SHA256"
	}
	for _, k := range s.SharedKeys {
		if k.ID == named["key"] {
			return k.Secret, sha256.New, ""
		}
	}
	return "", nil, "its shared key is not in shared_keys"
}

// sign returns the signature of a call: the HMAC of its URL and its parameters' names and values, sorted by name.
func sign(algorithm func() hash.Hash, secret, address string, form url.Values) string {
	mac := hmac.New(algorithm, []byte(secret))
	mac.Write([]byte(address))
	names := make([]string, 0, len(form))
	for name := range form {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		values := slices.Clone(form[name])
		slices.Sort(values)
		for _, value := range slices.Compact(values) {
			mac.Write([]byte(name + value))
		}
	}
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// portVariants returns a URL unchanged, with the port of its scheme, and without a port.
func portVariants(address string) []string {
	u, err := url.Parse(address)
	if err != nil {
		return nil
	}
	port := map[string]string{"https": ":443", "http": ":80"}[u.Scheme]
	with, without := *u, *u
	if u.Port() == "" {
		with.Host += port
	}
	without.Host = strings.TrimSuffix(u.Host, ":"+u.Port())
	return []string{address, with.String(), without.String()}
}
