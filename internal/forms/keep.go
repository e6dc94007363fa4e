package forms

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/intake"
	"example.com/griot/internal/seal"
)

// The names of the hidden inputs, and the path below the home of a dashboard that shows a kept form again.
const (
	KeptField = "unsent"    // a sealed form
	MarkField = "form-mark" // the mark of a form
	KeptPath  = "/unsent"
)

// Limits of a kept form.
const (
	MaxKept  = 10 << 10  // bytes of its fields as JSON; after sealing, they fit into the body of a sign-in
	KeptTime = time.Hour // from the refused request

	maxBody   = 64 << 10 // bytes of the refused request, which can have six for each byte of a text
	allBodies = 16 << 20 // bytes of all refused requests in memory at the same time
)

var secret = regexp.MustCompile(`(?i)code|secret|password|token|settings|apikey|^(?:sure|confirm|kid|logo)$`)

// IsSecret reports whether an input is omitted because of its name: one for passwords, codes, keys of providers, files,
// or a confirmation.
func IsSecret(name string) bool { return secret.MatchString(name) }

// kept is a form that was not executed. A mark contains its first three fields.
type kept struct {
	Person  string     `json:"person"`            // the person to whom the page was shown
	Account string     `json:"account,omitempty"` // empty: the person has no other account
	Page    string     `json:"page"`              // path and query of the page that has the form
	Action  string     `json:"action,omitempty"`  // path and query to which it is posted
	Fields  url.Values `json:"fields,omitempty"`  // without secrets
	Until   time.Time  `json:"until,omitzero"`
}

// Keeper keeps the forms of one dashboard. It is safe for concurrent use.
type Keeper struct {
	Home   string       // path of the dashboard, whose pages are below it
	SignIn string       // path of its sign-in page; further steps are below it
	Box    *seal.Box    // seals forms
	Signs  *seal.Secret // signs marks
	Now    clock.Now
	API    *httpx.API
	Routes func() []httpx.Route

	// bodies is the budget of refused forms alone: anyone can send them, and they are larger than the bodies of a
	// sign-in, which must never wait for them.
	bodies intake.Budget
}

// Mark returns the mark for the forms on the page that is the response to a request.
func (k *Keeper) Mark(r *http.Request, person, account string) string {
	page := *r.URL
	if from, err := url.Parse(r.Referer()); err == nil && r.Method == http.MethodPost {
		page = *from // the form is shown again, with an error
	}
	q := page.Query()
	q.Del("done")                                                                                                                         // the message about another form
	mark, _ := json.Marshal(&kept{Person: person, Account: account, Page: httpx.OwnPath(httpx.WithQuery(page.EscapedPath(), q), k.Home)}) // its types can't cause an error
	text := base64.RawURLEncoding.EncodeToString(mark)
	return text + "." + base64.RawURLEncoding.EncodeToString(k.Signs.MAC(text)) // the same for each request, because scripts compare pages
}

// marked returns the form of a mark, or nil.
func (k *Keeper) marked(mark string) *kept {
	text, signature, _ := strings.Cut(mark, ".")
	plain, err := base64.RawURLEncoding.DecodeString(text)
	f := &kept{}
	if err != nil || !k.Signs.Made(signature, base64.RawURLEncoding.EncodeToString, text) || json.Unmarshal(plain, f) != nil {
		return nil
	}
	return f
}

// keep returns the sealed form of a request without a session, and its page. All results are zero for a form without a
// valid mark. If the request already contains a sealed form, that one is returned.
func (k *Keeper) keep(w http.ResponseWriter, r *http.Request) (sealed, page string, tooLarge bool, err error) {
	body, release, err := k.API.ReadUnauthenticated(&k.bodies, w, r, maxBody, allBodies)
	defer release()
	if e, ok := errors.AsType[*apierror.Error](err); ok && e.Kind == k.API.Kinds.TooLarge {
		return "", "", true, nil
	}
	in, parse := httpx.ParseQuery(string(body))
	if httpx.MediaType(r) == httpx.TypeUpload {
		in, _, parse = httpx.ParseUpload(r, bytes.NewReader(body), 0)
	}
	f := k.marked(in.Get(MarkField))
	if err != nil || parse != nil || f == nil {
		return in.Get(KeptField), "", false, err
	}
	f.Action, f.Until, f.Fields = r.URL.RequestURI(), k.Now().Add(KeptTime), url.Values{}
	for name, values := range in {
		if name != MarkField && !IsSecret(name) {
			f.Fields[name] = values
		}
	}
	plain, err := json.Marshal(f.Fields)
	if err != nil || len(plain) > MaxKept {
		return "", f.Page, true, err
	}
	if plain, err = json.Marshal(f); err != nil {
		return "", f.Page, false, err
	}
	return k.Box.Seal(plain, KeptField), f.Page, false, nil
}

// opened returns a sealed form. It returns nil if the form was changed, is older than [KeptTime], or is
// another person's.
func (k *Keeper) opened(sealed, person string) *kept {
	f := &kept{}
	plain, err := k.Box.Open(sealed, KeptField)
	if err != nil || json.Unmarshal(plain, f) != nil || f.Person != person || !k.Now().Before(f.Until) {
		return nil
	}
	return f
}
