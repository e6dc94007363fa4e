package httpsms

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"griot/gateway"
	"griot/internal/phone"
)

// WebhookHandler implements [gateway.WebhookReceiver]: /receipts and /inbound, and
// /events for gateways that know one address only.
func (s *sender) WebhookHandler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hooks := s.hooksAt(r.URL.Path)
		if len(hooks) == 0 {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		admitted := false
		for _, h := range hooks { // before a byte of the body is read
			admitted = admitted || h.Auth.admits(r)
		}
		if !admitted {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		answer := &answerWriter{ResponseWriter: w}
		if r.Method == http.MethodGet {
			answer.WriteHeader(s.take(r, nil))
		} else {
			s.door.ServeHTTP(answer, r)
		}
		if answer.status == http.StatusOK {
			_, _ = io.WriteString(w, hooks[0].Answer)
		}
	})
}

// answerWriter remembers the status.
type answerWriter struct {
	http.ResponseWriter
	status int
}

// WriteHeader implements [http.ResponseWriter].
func (w *answerWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap is for [http.ResponseController].
func (w *answerWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// hooksAt returns which calls are taken at a path. At the common one are those that can be told apart.
func (s *sender) hooksAt(path string) []*hook {
	var hooks []*hook
	for _, one := range []struct {
		path string
		hook *hook
	}{{"/receipts", s.settings.Receipts}, {"/inbound", s.settings.Inbound}} {
		if one.hook.on() && (path == one.path || path == "/events" && len(one.hook.When) > 0) {
			hooks = append(hooks, one.hook)
		}
	}
	return hooks
}

var (
	errCall   = errors.New("it lacks what such a call must say")
	errNobody = errors.New("it is from or to something that is no number")
)

// take judges a call's signature and stores what it tells. What can't be used is taken all the same where it is readable: the
// gateway would bring it again and again.
func (s *sender) take(r *http.Request, body []byte) int {
	genuine := false
	for _, h := range s.hooksAt(r.URL.Path) {
		if !h.Auth.admits(r) || !h.Auth.genuine(r, body) {
			continue
		}
		genuine = true
		c, ok := newCall(r, body)
		if !ok {
			return http.StatusBadRequest
		}
		if !c.fits(h) {
			continue
		}
		store := s.inbound
		if h == s.settings.Receipts {
			store = s.receipt
		}
		err := store(r.Context(), h, c)
		switch {
		case errors.Is(err, errCall):
			return http.StatusBadRequest
		case errors.Is(err, errNobody):
			s.log.Warn("a message was left alone", "err", errNobody)
		case err != nil:
			s.log.Error("storing what the gateway told", "err", err)
			return http.StatusServiceUnavailable
		}
		return http.StatusOK
	}
	if !genuine {
		return http.StatusUnauthorized
	}
	return http.StatusOK // some other news
}

// call is what the gateway tells.
type call struct {
	query    url.Values
	form     url.Values
	document any
}

// newCall reads a body by its content type; ok is false if it isn't of that type.
func newCall(r *http.Request, body []byte) (c call, ok bool) {
	c.query = r.URL.Query()
	if len(body) == 0 {
		return c, true
	}
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err == nil && kind == "application/x-www-form-urlencoded" {
		c.form, err = url.ParseQuery(string(body))
		return c, err == nil
	}
	if kind == "multipart/form-data" { // nobody needs it, and it has many ways to be read
		return c, false
	}
	c.document, err = decode(body)
	return c, err == nil
}

// field returns what stands where the settings say.
func (c call) field(h *hook, name string) string {
	where := h.Fields[name]
	if where == "" {
		return ""
	}
	return c.at(where)
}

func (c call) at(where string) string {
	if name, ok := strings.CutPrefix(where, "?"); ok {
		return c.query.Get(name)
	}
	if text, ok := at(c.document, where); ok {
		return text
	}
	if c.form.Has(where) {
		return c.form.Get(where)
	}
	return c.query.Get(where)
}

func (c call) fits(h *hook) bool {
	for where, value := range h.When {
		if c.at(where) != value {
			return false
		}
	}
	return true
}

// receipt stores what became of a message.
func (s *sender) receipt(ctx context.Context, h *hook, c call) error {
	word := strings.ToLower(strings.TrimSpace(c.field(h, "status")))
	r := gateway.Receipt{Ref: c.field(h, "ref"), ProviderID: strings.TrimSpace(c.field(h, "id")), At: s.when(h, c)}
	if word == "" || r.Ref == "" && r.ProviderID == "" || r.Ref != "" && !referencePattern.MatchString(r.Ref) || len(r.ProviderID) > mostID || hasControl(r.ProviderID) {
		return errCall
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
