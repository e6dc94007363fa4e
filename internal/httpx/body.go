package httpx

import (
	"bytes"
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"example.com/griot/internal/strictjson"
)

// Content types of bodies.
const (
	TypeJSON = "application/json"
	TypeForm = "application/x-www-form-urlencoded"
)

// MediaType returns the request's content type without its parameters, in lowercase. It
// is JSON if the header is missing.
func MediaType(r *http.Request) string {
	ct := r.Header.Get("Content-Type")
	if ct == "" || ct == TypeJSON {
		return TypeJSON
	}
	t, _, err := mime.ParseMediaType(ct)
	if err != nil {
		return "invalid"
	}
	return t
}

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// ReadBody returns the raw bytes of a body of at most [MaxBody] bytes.
func (a *API) ReadBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	var b bytes.Buffer
	if err := a.read(w, r, &b); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func (a *API) read(w http.ResponseWriter, r *http.Request, b *bytes.Buffer) error {
	if r.ContentLength > MaxBody {
		return a.Kinds.TooLarge.Err()
	}
	if _, err := b.ReadFrom(http.MaxBytesReader(w, r.Body, MaxBody)); err != nil {
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			return a.Kinds.TooLarge.Err()
		}
		return a.Kinds.JSON.Because(err)
	}
	return nil
}

// DecodeJSON reads one JSON object in UTF-8, without U+0000, into in, as
// [strictjson.Unmarshal] does: it ignores unknown fields and matches names exactly. The
// error names a field of the wrong type.
func (a *API) DecodeJSON(w http.ResponseWriter, r *http.Request, in any) error {
	return a.ReadJSON(w, r, func(body []byte) error { return a.DecodeBytes(body, in) })
}

// ReadJSON reads a body with the content type of JSON and passes it to use. use must not keep the bytes after it
// returns.
func (a *API) ReadJSON(w http.ResponseWriter, r *http.Request, use func(body []byte) error) error {
	if MediaType(r) != TypeJSON {
		return a.Kinds.MediaType.Err()
	}
	b := buffers.Get().(*bytes.Buffer) //nolint:forcetypeassert // the pool's own type
	defer buffers.Put(b)
	b.Reset()
	if err := a.read(w, r, b); err != nil {
		return err
	}
	return use(b.Bytes())
}

// DecodeKnown decodes like [API.DecodeBytes], and reports whether in has all of the body's fields.
func (a *API) DecodeKnown(body []byte, in any) (known bool, err error) {
	if object(body) && strictjson.UnmarshalKnown(body, in) == nil {
		return true, nil
	}
	reflect.ValueOf(in).Elem().SetZero()
	return false, a.DecodeBytes(body, in)
}

// object reports whether a body starts as an object and contains no U+0000.
func object(body []byte) bool {
	trimmed := bytes.TrimLeft(body, " \t\r\n")
	return len(trimmed) > 0 && trimmed[0] == '{' && !escapesNUL(body)
}

// DecodeBytes decodes like [API.DecodeJSON], but from a body that was already read.
func (a *API) DecodeBytes(body []byte, in any) error {
	if !object(body) {
		return a.Kinds.JSON.Err()
	}
	err := strictjson.Unmarshal(body, in)
	if err == nil {
		return nil
	}
	wrong, _ := errors.AsType[*strictjson.Error](err)
	switch {
	case wrong != nil && wrong.Member != "":
		return a.Kinds.Member.On(wrong.Member).Detailf("%s has the wrong type.", wrong.Member)
	case wrong != nil && wrong.Twice:
		return a.Kinds.JSON.Err().Detailf("An object in the body contains a field twice.")
	}
	return a.Kinds.JSON.Err()
}

// ReadForm reads a form from the body, never from the query. Only the fields in lists can have several values.
func (a *API) ReadForm(w http.ResponseWriter, r *http.Request, lists ...string) (url.Values, error) {
	body, err := a.ReadBody(w, r)
	if err != nil {
		return nil, err
	}
	v, err := ParseQuery(string(body))
	if err != nil {
		return nil, a.Kinds.Member.Err().Detailf("The form is malformed.")
	}
	return v, a.checkForm(v, lists...)
}

// checkForm refuses a form with bytes that are not text, or with several values of a field that is not in lists.
func (a *API) checkForm(v url.Values, lists ...string) error {
	for k, vs := range v {
		if len(vs) > 1 && !slices.Contains(lists, k) {
			return a.Kinds.Member.Err().Detailf("A parameter was sent more than once.") // RFC 6749 §3.2
		}
		if text := k + strings.Join(vs, ""); !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
			return a.Kinds.Member.Err().Detailf("The form must be UTF-8 without U+0000.")
		}
	}
	return nil
}

// WriteJSON writes v with a status.
func WriteJSON(w http.ResponseWriter, status int, v any) error {
	b := buffers.Get().(*bytes.Buffer) //nolint:forcetypeassert // the pool's own type
	defer buffers.Put(b)
	b.Reset()
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	WriteJSONBytes(w, status, b.Bytes())
	return nil
}

// SetRetryAfter sets Retry-After in whole seconds, rounded up. It sets nothing for zero.
func SetRetryAfter(h http.Header, d time.Duration) {
	if d > 0 {
		h.Set("Retry-After", strconv.FormatInt(int64((d+time.Second-1)/time.Second), 10))
	}
}
