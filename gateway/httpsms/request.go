package httpsms

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strings"

	"griot/gateway/internal/httpcall"
)

// writer makes the request for a message.
type writer struct {
	method      string
	path        template // with scheme and host
	rawQuery    template
	hasQuery    bool
	headers     map[string]template
	query       map[string]template
	form        map[string]template
	document    any // JSON whose strings are templates
	xml         *template
	text        *template
	contentType string
}

// newWriter compiles the settings' templates, and refuses those that could not work.
func newWriter(s *settings) (*writer, error) {
	w := &writer{method: s.Method}
	used := map[string]bool{}
	known := func(name string) bool {
		_, own := s.values[name]
		used[name] = true
		return own || isBuiltin(name)
	}
	path, query, _ := strings.Cut(s.URL, "?")
	w.hasQuery = query != ""
	var err error
	if w.path, err = compile("url", path, known); err != nil {
		return nil, err
	}
	if w.rawQuery, err = compile("url", query, known); err != nil {
		return nil, err
	}
	for _, m := range []struct {
		where string
		from  map[string]string
		to    *map[string]template
	}{{"headers", s.Headers, &w.headers}, {"query", s.Query, &w.query}, {"form", s.Form, &w.form}} {
		if *m.to, err = compileAll(m.where, m.from, known); err != nil {
			return nil, err
		}
	}
	if err := w.compileBody(s, known); err != nil {
		return nil, err
	}
	return w, errors.Join(w.checkMethod(s), w.checkHeaders(s), checkUsed(s, used))
}

func compileAll(where string, from map[string]string, known func(string) bool) (map[string]template, error) {
	all := make(map[string]template, len(from))
	for _, name := range slices.Sorted(maps.Keys(from)) { // the same mistake is told each time
		text := from[name]
		if strings.Contains(name, "{{") {
			return nil, fmt.Errorf("settings: %s: a name can't have placeholders", where)
		}
		t, err := compile(where+"."+printable(name), text, known)
		if err != nil {
			return nil, err
		}
		all[name] = t
	}
	return all, nil
}

func (w *writer) compileBody(s *settings, known func(string) bool) error {
	bodies := 0
	if len(s.Form) > 0 {
		bodies++
		w.contentType = "application/x-www-form-urlencoded"
	}
	if given(s.JSON) {
		bodies++
		w.contentType = "application/json"
		var err error
		if w.document, err = compileJSON(s.JSON, known); err != nil {
			return err
		}
	}
	if s.XML != "" {
		bodies++
		w.contentType = "text/xml; charset=utf-8"
		t, err := compile("xml", s.XML, known)
		if err != nil {
			return err
		}
		w.xml = &t
		if err := checkXML(t); err != nil {
			return err
		}
	}
	if s.Text != "" {
		bodies++
		w.contentType = "text/plain; charset=utf-8"
		t, err := compile("text", s.Text, known)
		if err != nil {
			return err
		}
		w.text = &t
	}
	if bodies > 1 {
		return errors.New("settings: form, json, xml and text exclude each other")
	}
	if w.method == "" {
		w.method = http.MethodGet
		if bodies > 0 {
			w.method = http.MethodPost
		}
	}
	return nil
}

func (w *writer) checkMethod(s *settings) error {
	switch {
	case !slices.Contains([]string{http.MethodGet, http.MethodPost, http.MethodPut}, w.method):
		return errors.New("settings: method must be GET, POST or PUT")
	case w.method == http.MethodGet && w.contentType != "":
		return errors.New("settings: a GET has no body: use query")
	case w.hasQuery && len(s.Query) > 0:
		return errors.New("settings: url has a query already: put all of it into query")
	}
	return nil
}

// checkHeaders wants names that HTTP knows, and nothing in values that a person wrote.
func (w *writer) checkHeaders(s *settings) error {
	for name, t := range w.headers {
		if name == "" || strings.ContainsFunc(name, func(r rune) bool { return !strings.ContainsRune(headerCharacters, r) }) {
			return fmt.Errorf("settings: headers: %q is no name", printable(name))
		}
		canonical := textproto.CanonicalMIMEHeaderKey(name)
		if slices.Contains([]string{"Host", "Content-Length", "Transfer-Encoding", "Connection"}, canonical) {
			return fmt.Errorf("settings: headers: %s is not the template's to set", canonical)
		}
		if canonical == "Authorization" && (s.Basic != nil || s.OAuth != nil) {
			return errors.New("settings: headers: Authorization is set by basic or oauth")
		}
		if t.uses("text") {
			return fmt.Errorf("settings: headers.%s: a header can't carry {{text}}", name)
		}
	}
	return nil
}

const headerCharacters = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" // RFC 9110 §5.6.2

func checkUsed(s *settings, used map[string]bool) error {
	switch {
	case !used["text"] && !used["text_hex"]:
		return errors.New("settings: the request has neither {{text}} nor {{text_hex}}")
	case !used["to"] && !used["to_plus"]:
		return errors.New("settings: the request has neither {{to}} nor {{to_plus}}")
	case used["coding"] && (s.Coding.GSM == "" || s.Coding.UCS2 == ""):
		return errors.New("settings: {{coding}} needs coding.gsm and coding.ucs2")
	case used["callback_token"] && s.CallbackURL != "" && s.Receipts.on() && s.Receipts.Auth.Kind != byToken:
		return errors.New("settings: {{callback_token}} needs receipts.auth of the kind token")
	case used["text_hex"] && !used["coding"]:
		return errors.New("settings: {{text_hex}} means nothing without {{coding}}")
	}
	return nil
}

// write makes the request.
func (w *writer) write(s scope) (*httpcall.Request, error) {
	r := &httpcall.Request{Method: w.method, URL: w.path.expand(s, url.PathEscape), Header: http.Header{}}
	if w.hasQuery {
		r.URL += "?" + w.rawQuery.expand(s, url.QueryEscape)
	} else if len(w.query) > 0 {
		r.URL += "?" + pairs(w.query, s).Encode()
	}
	if w.contentType != "" {
		r.Header.Set("Content-Type", w.contentType)
	}
	for name, t := range w.headers {
		if t.absent(s) {
			continue
		}
		text := t.expand(s, plain)
		if hasControl(text) {
			return nil, errControl
		}
		r.Header.Set(name, text)
	}
	var err error
	switch {
	case len(w.form) > 0:
		r.Body = []byte(pairs(w.form, s).Encode())
	case w.document != nil:
		r.Body, err = json.Marshal(expandJSON(w.document, s))
	case w.xml != nil:
		r.Body = []byte(w.xml.expand(s, escapeXML))
	case w.text != nil:
		r.Body = []byte(w.text.expand(s, plain))
	}
	return r, err
}

func pairs(all map[string]template, s scope) url.Values {
	values := url.Values{}
	for name, t := range all {
		if !t.absent(s) {
			values.Set(name, t.expand(s, plain))
		}
	}
	return values
}
