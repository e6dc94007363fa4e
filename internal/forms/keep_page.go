package forms

import (
	"bytes"
	"cmp"
	"io"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"example.com/griot/internal/httpx"
)

// Refused responds to a form without a session, from the right origin, with the sign-in page, which contains the form.
// It returns false and writes no response if there is no form to keep.
func (k *Keeper) Refused(w http.ResponseWriter, r *http.Request) (bool, error) {
	if r.Method != http.MethodPost {
		return false, nil
	}
	sealed, page, tooLarge, err := k.keep(w, r)
	if err != nil || sealed == "" && !tooLarge {
		return false, err
	}
	note := "unsent.kept"
	if tooLarge {
		note = "unsent.too_large"
	}
	at := httpx.WithQuery(k.SignIn, url.Values{"next": {httpx.OwnPath(page, k.Home)}})
	return true, k.page(w, r, at, http.StatusUnauthorized, func(doc *html.Node) { k.carry(r, doc, sealed, note) })
}

// Through returns a handler for a form of the sign-in. It passes the kept form from the request to the page of the next
// step, or to a page with an error. After the sign-in, the browser posts the form to [KeptPath].
func (k *Keeper) Through(next httpx.HandlerFunc) httpx.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		body, err := io.ReadAll(r.Body) // limited by the route
		if err != nil {
			return err
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		in, _ := httpx.ParseQuery(string(body))
		sealed, rec := in.Get(KeptField), &recorder{ResponseWriter: w}
		if sealed == "" {
			return next(w, r)
		}
		r.Header.Del("Accept-Encoding")
		if err := next(rec, r); err != nil {
			return err
		}
		carried := func(doc *html.Node) { k.carry(r, doc, sealed, "unsent.kept") }
		to := w.Header().Get("Location")
		switch step, _, _ := strings.Cut(to, "?"); {
		case rec.status != http.StatusSeeOther:
			return rec.send(rec.status, carried)
		case step == k.SignIn || strings.HasPrefix(step, k.SignIn+"/"):
			w.Header().Del("Location")
			return k.page(w, r, to, http.StatusOK, carried)
		}
		w.Header().Set("Location", k.Home+KeptPath)
		return rec.send(http.StatusTemporaryRedirect, nil)
	}
}

// Show responds to a signed-in person's request with the page of the form in the request, filled in. enter, which can
// be nil, changes to the form's account, and reports whether the person still belongs to it.
func (k *Keeper) Show(w http.ResponseWriter, r *http.Request, person string, enter func(account string) (bool, error)) error {
	in, err := k.API.ReadForm(w, r)
	f := k.opened(in.Get(KeptField), person)
	ok := f != nil
	if err == nil && ok && enter != nil {
		ok, err = enter(f.Account)
	}
	switch {
	case err != nil:
		return err
	case !ok:
		return k.page(w, r, k.Home, http.StatusOK, func(doc *html.Node) { notice(doc, k.Home, k.API.Lang(r).T("unsent.not_kept")) })
	}
	return k.page(w, r, f.Page, http.StatusOK, func(doc *html.Node) {
		switch left, found := f.fill(doc); {
		case !found:
			notice(doc, f.Page, k.API.Lang(r).T("unsent.gone"), f.texts()...)
		case len(left) > 0:
			notice(doc, f.Page, k.API.Lang(r).T("unsent.partly"), left...)
		default:
			notice(doc, f.Page, k.API.Lang(r).T("unsent.filled"))
		}
	})
}

// page responds with another page of the dashboard, changed, or with the closest page above one that doesn't exist.
func (k *Keeper) page(w http.ResponseWriter, r *http.Request, address string, status int, change func(doc *html.Node)) error {
	at, err := url.Parse(address)
	if err != nil {
		return err
	}
	get, rec, pages := r.Clone(r.Context()), &recorder{ResponseWriter: w}, httpx.Pages(k.Routes())
	get.Method, get.URL, get.Body = http.MethodGet, at, http.NoBody
	get.Header.Del("Accept-Encoding") // the page is parsed
	for pages.ServeHTTP(rec, get); rec.status == http.StatusNotFound && httpx.Below(path.Dir(at.Path), k.Home); pages.ServeHTTP(rec, get) {
		at.Path, rec = path.Dir(at.Path), &recorder{ResponseWriter: w}
	}
	if rec.status != http.StatusOK {
		return rec.send(rec.status, nil)
	}
	return rec.send(status, func(doc *html.Node) {
		change(doc)
		removePreferences(doc)
	})
}

// recorder holds a response until it is sent.
type recorder struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

func (w *recorder) WriteHeader(status int)      { w.status = status }
func (w *recorder) Write(b []byte) (int, error) { return w.body.Write(b) }

// send sends the response with a status, and with its page changed.
func (w *recorder) send(status int, change func(doc *html.Node)) error {
	body := w.body.String()
	if change != nil {
		body = changed(body, change)
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.ResponseWriter.WriteHeader(cmp.Or(status, http.StatusOK))
	_, err := io.WriteString(w.ResponseWriter, body)
	return err
}
