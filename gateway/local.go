package gateway

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"

	"example.com/griot/internal/phone"
	"example.com/griot/internal/visible"
)

// maxLocal is the maximum length of a local sender, in characters. A network transmits at most 20.
const maxLocal = 64

// SetSender sets the sender of an SMS as a gateway reports it. An international number becomes From. Anything else
// becomes Local: its message is stored, but belongs to no person, so it changes no opt-out. home is the country of
// numbers that come without one. SetSender returns false if there is no sender.
func (in *Inbound) SetSender(home phone.Region, reported string, form phone.SenderForm) bool {
	number, ok := home.Sender(reported, form)
	in.From = string(number)
	return ok || in.SetLocal(reported)
}

// SetLocal sets the sender of an SMS that isn't an international number. It returns false if there is none. Local never
// starts with a plus, which only numbers of people have, and the end of a long sender becomes its hash.
func (in *Inbound) SetLocal(reported string) bool {
	in.Local = visible.Line(strings.ReplaceAll(strings.ToValidUTF8(reported, "\uFFFD"), "\x00", ""))
	if rest, isURI := strings.CutPrefix(strings.ToLower(in.Local), "tel:"); isURI {
		in.Local = in.Local[len(in.Local)-len(rest):]
	}
	in.Local = strings.TrimLeftFunc(in.Local, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("+＋﹢", r) })
	if all := []rune(in.Local); len(all) > maxLocal {
		sum := sha256.Sum256([]byte(in.Local))
		mark := "~" + hex.EncodeToString(sum[:6])
		in.Local = string(all[:maxLocal-len(mark)]) + mark
	}
	return in.Local != ""
}

// ReceiverOf returns our address that received an SMS, as a gateway reports it: a number in E.164 digits, or a short code.
// It is "" for anything else. Unlike a person's, our number can have any length.
func ReceiverOf(home phone.Region, reported string, form phone.SenderForm) string {
	n, ok := home.Sender(reported, form)
	if !ok {
		n, ok = phone.Parse(phone.Unformatted(reported))
	}
	if code := strings.TrimSpace(reported); !ok && phone.IsShortCode(code) {
		return code
	}
	return string(n)
}

// Kinds of local senders, by which they are counted.
const (
	LocalNumber    = "number"     // a number without its country
	LocalShortCode = "short_code" // 3 to 7 digits
	LocalName      = "name"       // anything else
)

func localKinds() []string { return []string{LocalNumber, LocalShortCode, LocalName} }

// localKind returns the kind of a local sender.
func localKind(sender string) string {
	digits := strings.TrimPrefix(phone.Unformatted(sender), "+")
	switch {
	case phone.IsShortCode(digits):
		return LocalShortCode
	case digits != "" && strings.Trim(digits, "0123456789") == "":
		return LocalNumber
	}
	return LocalName
}
