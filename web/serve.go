package web

import (
	"bytes"
	"net/http"
	"strconv"

	"griot/internal/i18n"
)

// compressFrom is the size from which compressing a page spares packets.
const compressFrom = 1 << 10

// Language is the language that a page is shown in to who asks for it.
func Language(r *http.Request) i18n.Lang { return i18n.Pick(r.Header.Get("Accept-Language")) }

// Serve answers a request with a page in the person's language, and a status. Nothing
// is written when it fails.
//
// Pages are compressed. What could be guessed from a compressed page's length is a secret
// that stays the same from one request to the next beside text of the guesser's choice, and
// no page has one: what is secret in a page is shown once, or is good for seconds.
func (p *Pages) Serve(w http.ResponseWriter, r *http.Request, status int, page string, data any) error {
	var b bytes.Buffer
	if err := p.Render(&b, page, Language(r), data); err != nil {
		return err
	}
	h := w.Header()
	Headers(h)
	h.Add("Vary", "Accept-Encoding")
	body := &b
	if b.Len() >= compressFrom && acceptsGzip(r) {
		var small bytes.Buffer
		if err := compressTo(&small, b.Bytes()); err != nil {
			return err
		}
		h.Set("Content-Encoding", "gzip")
		body = &small
	}
	h.Set("Content-Length", strconv.Itoa(body.Len()))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = body.WriteTo(w)
	}
	return nil
}
