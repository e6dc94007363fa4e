package httpsms

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
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
