package web

import (
	"bytes"
	"net/http"
	"regexp"
	"strconv"
	"time"
)

// compressFrom is the size from which compressing a page saves packets.
const compressFrom = 1 << 10

// postedForm matches a form that is posted, as templates write it.
var postedForm = regexp.MustCompile(`(?s)(<form [^>]*method="post"[^>]*>.*?)(</form>)`)

// Serve responds with a page in the person's language and theme, and a status. Nothing is
// written if it fails. If the URL sets another language or theme, Serve stores it and redirects
// to the same page.
//
// Pages are compressed. A compressed page's length could reveal a secret that stays the same
// over many requests and is next to text that an attacker chooses. No page has such a secret,
// because the secrets of pages are shown once or are valid for seconds.
func (p *Pages) Serve(w http.ResponseWriter, r *http.Request, status int, page string, data any) error {
	return p.serve(w, r, status, page, view{Data: data})
}

// ServeOnce is like Serve, but ignores a language or theme in the URL and has no links for them: it neither redirects nor
// sets a cookie.
func (p *Pages) ServeOnce(w http.ResponseWriter, r *http.Request, status int, page string, data any) error {
	return p.serve(w, r, status, page, view{Data: data, once: true})
}

func (p *Pages) serve(w http.ResponseWriter, r *http.Request, status int, page string, v view) error {
	if !v.once && choose(w, r) {
		return nil
	}
	v.Frame = frameOf(r)
	v.Frame.changeable = v.Frame.changeable && !v.once
	if failure, ok := v.Data.(Failure); ok {
		seconds, _ := strconv.Atoi(w.Header().Get("Retry-After"))
		failure.Wait = v.Frame.Lang.Wait(time.Duration(seconds) * time.Second)
		v.Data = failure
	}
	var b bytes.Buffer
	if err := p.render(&b, page, v); err != nil {
		return err
	}
	if v.Shell != nil && v.Shell.FormMark != "" {
		mark := []byte(`$1<input type="hidden" name="form-mark" value="` + v.Shell.FormMark + `">$2`)
		b = *bytes.NewBuffer(postedForm.ReplaceAll(b.Bytes(), mark))
	}
	h := w.Header()
	Headers(h, r.URL.Path)
	if page == PagePhones {
		h.Set("Content-Security-Policy", phonesCSP)
	}
	if form, ok := v.Data.(*Return); ok {
		h.Set("Content-Security-Policy", formCSP([]string{form.Origin}))
	}
	if waiting, ok := v.Data.(Waiting); ok && waiting.Login != nil {
		p.announceStyles(h, waiting.Login.styles())
	}
	if v.Shell != nil && v.Shell.Frames {
		h.Set("Content-Security-Policy", framesCSP)
	}
	if v.Shell != nil && len(v.Shell.FormOrigins) > 0 {
		h.Set("Content-Security-Policy", formCSP(v.Shell.FormOrigins))
	}
	h.Add("Vary", "Accept-Encoding, Cookie")
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

// announceStyles names a page's style sheets in its headers, so that a browser on a slow connection requests them
// before it has read the page.
func (p *Pages) announceStyles(h http.Header, names []string) {
	for _, name := range names {
		if url, err := p.assets.url(name); err == nil {
			h.Add("Link", "<"+url+">; rel=preload; as=style")
		}
	}
}
