package httpsms

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"griot/gateway"
	"griot/internal/phone"
)

// receipt stores what became of a message.
func (s *sender) receipt(ctx context.Context, h *hook, c call) error {
	word := strings.ToLower(strings.TrimSpace(c.field(h, "status")))
	r := gateway.Receipt{Ref: c.field(h, "ref"), ProviderID: strings.TrimSpace(c.field(h, "id")), At: s.when(h, c)}
	if word == "" || r.Ref == "" && r.ProviderID == "" || r.Ref != "" && !referencePattern.MatchString(r.Ref) || len(r.ProviderID) > mostID || hasControl(r.ProviderID) {
		return errCall
	}
	if r.Ref == "" {
		r.Gateway = s.name
	}
	status := h.status(word)
	if status == ignored {
		return nil
	}
	r.Status = gateway.ReceiptStatus(status)
	if r.Status == gateway.ReceiptFailed {
		r.Err = &gateway.Error{Class: gateway.Permanent, Code: "delivery_failed", ProviderCode: cleanCode(c.field(h, "error"))}
	}
	return s.sink.Receipt(ctx, r)
}

// status says what the gateway's word means: as it is, else by the longest beginning that is known ("esme_*").
func (h *hook) status(word string) string {
	if status, ok := h.statuses[word]; ok {
		return status
	}
	best, status := -1, ignored
	for pattern, means := range h.statuses {
		if start, ok := strings.CutSuffix(pattern, "*"); ok && strings.HasPrefix(word, start) && len(start) > best {
			best, status = len(start), means
		}
	}
	return status
}

// inbound stores a message from a person.
func (s *sender) inbound(ctx context.Context, h *hook, c call) error {
	text, ok := s.text(h, c)
	given := c.field(h, "from")
	if !ok || given == "" {
		return errCall
	}
	from, fromOK := number(given)
	to := phone.Number(h.To)
	toOK := true
	if h.To == "" {
		to, toOK = number(c.field(h, "to"))
	}
	if !fromOK || !toOK {
		return errNobody
	}
	in := gateway.Inbound{
		ID: strings.TrimSpace(c.field(h, "id")), Channel: gateway.SMS, From: string(from), To: string(to), DisplayName: clean(c.field(h, "name")), Text: clean(text), At: s.when(h, c),
	}
	if in.ID == "" || len(in.ID) > mostID || hasControl(in.ID) {
		in.ID = digest(in.ID, in.From, in.To, c.field(h, "at"), in.Text)
	}
	return s.sink.Inbound(ctx, in)
}

// text reads a message's text: as it is, in the charset that the call names, or from hex.
func (s *sender) text(h *hook, c call) (string, bool) {
	if h.Fields["hex"] != "" && s.settings.Coding.UCS2 != "" && c.field(h, "coding") == s.settings.Coding.UCS2 {
		b, err := hex.DecodeString(c.field(h, "hex"))
		if err != nil {
			return "", false
		}
		return fromUCS2(b)
	}
	text := c.field(h, "text")
	switch charset := strings.ToUpper(c.field(h, "charset")); {
	case strings.HasPrefix(charset, "UTF-16"), strings.HasPrefix(charset, "UCS-2"), strings.HasPrefix(charset, "ISO-10646-UCS-2"):
		return fromUCS2([]byte(text))
	case !utf8.ValidString(text): // ISO-8859-1, whatever it is called
		var b strings.Builder
		for i := range len(text) {
			b.WriteRune(rune(text[i]))
		}
		return b.String(), true
	}
	return text, true
}

// clean takes out what no text may hold.
func clean(s string) string { return strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", ""), "\uFFFD") }

// number reads a number as gateways write them: 223…, +223…, 00223…, tel:+223….
func number(s string) (phone.Number, bool) {
	s = strings.TrimPrefix(strings.TrimSpace(s), "tel:")
	if rest, ok := strings.CutPrefix(s, "00"); ok {
		s = rest
	}
	return phone.Parse(strings.TrimSpace(s)) // a plus that was not escaped arrives as a space
}

// when reads the time of a call, which is now if it can't be read.
func (s *sender) when(h *hook, c call) time.Time {
	text := strings.TrimSpace(c.field(h, "at"))
	var at time.Time
	var err error
	switch h.AtFormat {
	case "unix", "unix_ms":
		var n int64
		if n, err = strconv.ParseInt(text, 10, 53); err == nil && h.AtFormat == "unix" {
			at = time.Unix(n, 0)
		} else {
			at = time.UnixMilli(n)
		}
	case "", "rfc3339":
		at, err = time.Parse(time.RFC3339Nano, text)
	default:
		at, err = time.Parse(h.AtFormat, text)
	}
	now := s.now()
	if err != nil || at.Year() < 2000 || at.After(now.Add(24*time.Hour)) {
		return now
	}
	return at.UTC()
}

// digest makes an id of what tells two messages apart, for gateways that give none.
func digest(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		_, _ = h.Write([]byte(strconv.Itoa(len(p)) + ":" + p))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
