package httpgate

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

	"example.com/griot/gateway/internal/httpcall"
)

// requestTemplate is the compiled template of a request.
type requestTemplate struct {
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
	used        map[string]bool // the names of its placeholders
}

// newRequestTemplate compiles the settings' templates and refuses templates that cannot work.
func newRequestTemplate(s *Settings, kind Kind) (*requestTemplate, error) {
	w := &requestTemplate{method: s.Method, used: map[string]bool{}}
	builtins := kind.builtins()
	known := func(name string) bool {
		_, own := s.values[name]
		w.used[name] = true
		return own || slices.Contains(builtins, name)
	}
	if err := w.compileURL("url", s.URL, known); err != nil {
		return nil, listPlaceholders(err, builtins)
	}
	var err error
	for _, m := range []struct {
		where string
		from  map[string]string
		to    *map[string]template
	}{{"headers", s.Headers, &w.headers}, {"query", s.Query, &w.query}, {"form", s.Form, &w.form}} {
		if *m.to, err = compileAll(m.where, m.from, known); err != nil {
			return nil, listPlaceholders(err, builtins)
		}
	}
	if err := w.compileBody(s, known); err != nil {
		return nil, listPlaceholders(err, builtins)
	}
	return w, errors.Join(w.checkMethod(s), w.checkHeaders(s, kind), w.checkUsed(s, kind))
}

// compileURL compiles the template of a URL.
func (w *requestTemplate) compileURL(where, address string, known func(string) bool) (err error) {
	path, query, _ := strings.Cut(address, "?")
	w.hasQuery = query != ""
	if w.path, err = compile(where, path, known); err != nil {
		return err
	}
	w.rawQuery, err = compile(where, query, known)
	return err
}

// listPlaceholders adds the known placeholders to an error about an unknown one.
func listPlaceholders(err error, builtins []string) error {
	if errors.Is(err, errPlaceholder) {
		return fmt.Errorf("%w: there are %s, and those of values", err, strings.Join(builtins, ", "))
	}
	return err
}

func compileAll(where string, from map[string]string, known func(string) bool) (map[string]template, error) {
	all := make(map[string]template, len(from))
	for _, name := range slices.Sorted(maps.Keys(from)) { // so that the same error is reported each time
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

func (w *requestTemplate) compileBody(s *Settings, known func(string) bool) error {
	bodies := 0
	if len(s.Form) > 0 {
		bodies++
		w.contentType = "application/x-www-form-urlencoded"
	}
	if isSet(s.JSON) {
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
		return errors.New("settings: form, json, xml, and text exclude each other")
	}
	if w.method == "" {
		w.method = http.MethodGet
		if bodies > 0 {
			w.method = http.MethodPost
		}
	}
	return nil
}

func (w *requestTemplate) checkMethod(s *Settings) error {
	switch {
	case !slices.Contains([]string{http.MethodGet, http.MethodPost, http.MethodPut}, w.method):
		return errors.New("settings: method must be GET, POST, or PUT")
	case w.method == http.MethodGet && w.contentType != "":
		return errors.New("settings: a GET has no body: use query")
	case w.hasQuery && len(s.Query) > 0:
		return errors.New("settings: url has a query already: put all of it into query")
	}
	return nil
}

// checkHeaders checks that names are valid in HTTP, and that no value contains text of users.
func (w *requestTemplate) checkHeaders(s *Settings, kind Kind) error {
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
		for _, written := range kind.UserText {
			if t.uses(written) {
				return fmt.Errorf("settings: headers.%s: a header can't carry {{%s}}", name, written)
			}
		}
	}
	return nil
}

const headerCharacters = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" // RFC 9110 §5.6.2

func (w *requestTemplate) checkUsed(s *Settings, kind Kind) error {
	for _, names := range kind.Required {
		if !slices.ContainsFunc(names, func(name string) bool { return w.used[name] }) {
			return fmt.Errorf("settings: the request has none of {{%s}}", strings.Join(names, "}}, {{"))
		}
	}
	if w.used["callback_token"] && s.CallbackURL != "" && s.Receipts.Enabled() && s.Receipts.Auth.Kind != byToken {
		return errors.New("settings: {{callback_token}} needs receipts.auth of the kind token")
	}
	return nil
}

// fill returns the request for one message.
func (w *requestTemplate) fill(s Values) (*httpcall.Request, error) {
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
		if HasControl(text) {
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

func pairs(all map[string]template, s Values) url.Values {
	values := url.Values{}
	for name, t := range all {
		if !t.absent(s) {
			values.Set(name, t.expand(s, plain))
		}
	}
	return values
}
