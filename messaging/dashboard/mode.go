package dashboard

import (
	"net/http"
	"net/url"
	"strings"

	"example.com/griot/messaging/account"
	"example.com/griot/web"
)

// The mode of a page, LIVE or TEST, is a URL parameter that the navigation keeps. Without it, the mode is LIVE, or
// TEST for an account without a sender for real messages.
const (
	modeParam = "mode"
	modeTest  = "test"
	modeLive  = "live"
)

// modeOf returns the mode of a request. A form without the parameter has the mode of the page that it is on.
func (d *Dashboard) modeOf(r *http.Request, a *account.Account) web.Mode {
	wanted := r.URL.Query().Get(modeParam)
	if wanted == "" && !reads(r) {
		wanted = d.pageOfForm(r).Query().Get(modeParam)
	}
	if wanted == modeTest || wanted != modeLive && !a.HasLiveSender() {
		return web.TestMode
	}
	return web.LiveMode
}

// simulated reports whether the page shows simulated messages.
func (v *visit) simulated() bool { return v.mode == web.TestMode }

// url returns the address of a page in the visit's mode.
func (v *visit) url(path string) string { return v.inMode(path, v.mode) }

// inMode returns the address of a page in a mode.
func (v *visit) inMode(path string, mode web.Mode) string {
	if name := v.modeName(mode); name != "" {
		return withMode(path, name)
	}
	return path
}

// modeName returns the parameter for a mode. It is empty for LIVE, unless pages without the parameter are in TEST.
func (v *visit) modeName(mode web.Mode) string {
	switch {
	case mode == web.TestMode:
		return modeTest
	case !v.caller.Account.HasLiveSender():
		return modeLive
	}
	return ""
}

func withMode(path, mode string) string {
	joined := "?"
	if strings.Contains(path, "?") {
		joined = "&"
	}
	return path + joined + modeParam + "=" + mode
}

// inTestMode returns a request for the same page in TEST, for services that simulate all messages.
func inTestMode(r *http.Request) *http.Request {
	q := r.URL.Query()
	q.Set(modeParam, modeTest)
	to, address := r.WithContext(r.Context()), *r.URL
	address.RawQuery = q.Encode()
	to.URL = &address
	return to
}

// addMode adds the mode to the shell, with a link to the same page in the other mode if there is one.
func (d *Dashboard) addMode(v *visit, s *web.Shell, path string) {
	if s.Mode = v.mode; d.o.Simulates {
		s.BothModes = false
		return
	}
	if s.BothModes && reads(v.r) {
		path = v.r.URL.Path
	}
	if keep := kept(v, path); keep != "" {
		path += "?" + keep
	}
	s.LiveURL, s.TestURL = v.inMode(path, web.LiveMode), v.inMode(path, web.TestMode)
}

// kept returns the part of a page's query that the other mode keeps. It omits the place in the list, a status, and
// the message after a form.
func kept(v *visit, path string) string {
	if !reads(v.r) || v.r.URL.Path != path {
		return "" // the navigation leads to another page
	}
	q := url.Values{}
	for name, values := range v.r.URL.Query() {
		switch name {
		case modeParam, "cursor", "done", "status", "from":
		default:
			q[name] = values
		}
	}
	return q.Encode()
}
