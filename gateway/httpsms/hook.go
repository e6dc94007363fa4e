package httpsms

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // some gateways sign with HMAC-SHA1, which is not broken
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"griot/gateway"
	"griot/gateway/internal/setting"
	"griot/internal/phone"
)

// hook says how the gateway's calls to us look: receipts, or messages from people.
type hook struct {
	Auth     *auth             `json:"auth"`
	When     map[string]string `json:"when"`     // fields with the values that tell such a call from others at one address
	Fields   map[string]string `json:"fields"`   // ours -> the gateway's: a name, a path in JSON, or "?name" in the address
	Statuses map[string]string `json:"statuses"` // receipts: the gateway's -> sent, delivered, read, failed, ignored
	AtFormat string            `json:"at_format"`
	To       string            `json:"to"` // inbound: our number, if the gateway doesn't say
	Answer   string            `json:"answer"`

	statuses map[string]string // in lower case
}

// auth says how a call proves that it is the gateway's.
type auth struct {
	Kind         string `json:"kind"` // token, basic, hmac
	Token        string `json:"token"`
	TokenFile    string `json:"token_file"`
	Query        string `json:"query"`  // token: the name of the parameter that holds it
	Header       string `json:"header"` // token, hmac: the header that holds it
	Username     string `json:"username"`
	Password     string `json:"password"`
	PasswordFile string `json:"password_file"`
	Secret       string `json:"secret"`
	SecretFile   string `json:"secret_file"`
	Algorithm    string `json:"algorithm"` // sha1, sha256, sha512
	Encoding     string `json:"encoding"`  // hex, base64
	Prefix       string `json:"prefix"`    // before the signature, "sha256="
}

// The kinds of auth.
const (
	byToken = "token"
	byBasic = "basic"
	byHMAC  = "hmac"
)

// ignored is the status of receipts that say nothing.
const ignored = "ignored"

// minToken is how long a token that stands in an address is at least.
const minToken = 16

// urlPattern is what needs no escaping in an address.
var urlPattern = regexp.MustCompile(`\A[A-Za-z0-9._~-]+\z`)

// on reports whether calls of this kind are taken. A preset brings hooks without auth: they are off until the settings have one.
func (h *hook) on() bool { return h != nil && h.Auth != nil }

// byID reports whether its calls name messages by the gateway's id, because they do not bring our reference.
func (h *hook) byID() bool { return h.on() && h.Fields["ref"] == "" }

// prepareHooks checks the hooks.
func (s *settings) prepareHooks() error {
	fields := map[string][]string{"receipts": {"ref", "id", "status", "at", "error"}, "inbound": {"id", "from", "to", "text", "hex", "coding", "charset", "at", "name"}}
	for where, h := range map[string]*hook{"receipts": s.Receipts, "inbound": s.Inbound} {
		if !h.on() {
			if h != nil && s.Preset == "" {
				return fmt.Errorf("settings: %s: auth is needed: without it anybody could call", where)
			}
			continue
		}
		if err := h.Auth.prepare(where); err != nil {
			return err
		}
		for name := range h.Fields {
			if !slices.Contains(fields[where], name) {
				return fmt.Errorf("settings: %s: fields can be %s", where, strings.Join(fields[where], ", "))
			}
		}
		if err := h.prepare(where); err != nil {
			return err
		}
	}
	if s.Inbound.on() {
		return s.Inbound.prepareInbound()
	}
	return nil
}

func (h *hook) prepare(where string) error {
	if where == "inbound" {
		return nil
	}
	if h.Fields["status"] == "" || h.Fields["ref"] == "" && h.Fields["id"] == "" {
		return errors.New("settings: receipts: fields must say where the status is, and ref or id")
	}
	h.statuses = map[string]string{}
	for theirs, status := range h.Statuses {
		known := []string{string(gateway.ReceiptSent), string(gateway.ReceiptDelivered), string(gateway.ReceiptRead), string(gateway.ReceiptFailed), ignored}
		if !slices.Contains(known, status) {
			return fmt.Errorf("settings: receipts: statuses can become %s", strings.Join(known, ", "))
		}
		h.statuses[strings.ToLower(theirs)] = status
	}
	if len(h.statuses) == 0 {
		return errors.New("settings: receipts: statuses must say what the gateway's words mean")
	}
	return nil
}

func (h *hook) prepareInbound() error {
	if h.Fields["from"] == "" || h.Fields["text"] == "" && h.Fields["hex"] == "" {
		return errors.New("settings: inbound: fields must say where from and text are")
	}
	if (h.Fields["hex"] != "") != (h.Fields["coding"] != "") {
		return errors.New("settings: inbound: fields hex and coding go together")
	}
	if h.To != "" {
		n, ok := phone.Parse(h.To)
		if !ok {
			return errors.New("settings: inbound: to must be an E.164 number")
		}
		h.To = string(n)
	} else if h.Fields["to"] == "" {
		return errors.New("settings: inbound: either fields say where our number is, or to says which it is")
	}
	return nil
}

func (a *auth) prepare(where string) (err error) {
	where += ".auth"
	switch a.Kind {
	case byToken:
		a.Token, err = setting.Secret(where+".token", a.Token, a.TokenFile, true)
		if err == nil && (len(a.Token) < minToken || !urlPattern.MatchString(a.Token)) {
			return fmt.Errorf("settings: %s.token must have at least %d letters, digits, points, dashes and underscores", where, minToken)
		}
		if (a.Query == "") == (a.Header == "") {
			return fmt.Errorf("settings: %s: either query or header says where the token is", where)
		}
	case byBasic:
		a.Password, err = setting.Secret(where+".password", a.Password, a.PasswordFile, true)
		if a.Username == "" {
			return fmt.Errorf("settings: %s.username is needed", where)
		}
	case byHMAC:
		a.Secret, err = setting.Secret(where+".secret", a.Secret, a.SecretFile, true)
		a.Algorithm, a.Encoding = cmp.Or(a.Algorithm, "sha256"), cmp.Or(a.Encoding, "hex")
		if a.Header == "" || a.hash() == nil || a.Encoding != "hex" && a.Encoding != "base64" {
			return fmt.Errorf("settings: %s: hmac needs header; algorithm can be sha1, sha256 or sha512, encoding hex or base64", where)
		}
	default:
		return fmt.Errorf("settings: %s.kind must be token, basic or hmac", where)
	}
	return err
}

func (a *auth) hash() func() hash.Hash {
	return map[string]func() hash.Hash{"sha1": sha1.New, "sha256": sha256.New, "sha512": sha512.New}[a.Algorithm]
}

// admits judges what can be judged before the body is read: everything but a signature, of which it wants one.
func (a *auth) admits(r *http.Request) bool {
	switch a.Kind {
	case byToken:
		given := r.Header.Values(a.Header)
		if a.Query != "" {
			given = r.URL.Query()[a.Query]
		}
		return len(given) == 1 && same(given[0], a.Token)
	case byBasic:
		user, password, ok := r.BasicAuth()
		return same(user, a.Username) && same(password, a.Password) && ok
	case byHMAC:
		return len(r.Header.Values(a.Header)) == 1
	}
	return false
}

// genuine judges a signature over the raw body.
func (a *auth) genuine(r *http.Request, body []byte) bool {
	if a.Kind != byHMAC {
		return true
	}
	signature, ok := strings.CutPrefix(r.Header.Get(a.Header), a.Prefix)
	given, err := hex.DecodeString(signature)
	if a.Encoding == "base64" {
		given, err = base64.StdEncoding.DecodeString(signature)
	}
	h := hmac.New(a.hash(), []byte(a.Secret))
	_, _ = h.Write(body)
	return ok && err == nil && hmac.Equal(given, h.Sum(nil))
}

// same compares in a time that tells nothing, not even about the length.
func same(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return hmac.Equal(x[:], y[:])
}
