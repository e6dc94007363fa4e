package dashboard

import (
	"net/http"
	"net/url"
	"strings"

	"example.com/griot/web"
)

// The mode of a page, LIVE or TEST, is a parameter of its address that the navigation keeps: LIVE without it.
const (
	modeParam = "mode"
	modeTest  = "test"
)

func modeOf(r *http.Request) web.Mode {
	if r.URL.Query().Get(modeParam) == modeTest {
		return web.TestMode
	}
	return web.LiveMode
}

// simulated reports whether the page shows simulated messages.
func (v *visit) simulated() bool { return v.mode == web.TestMode }

// url returns the address of a page in the visit's mode.
func (v *visit) url(path string) string { return inMode(path, v.mode) }

func inMode(path string, mode web.Mode) string {
	if mode != web.TestMode {
		return path
	}
	joined := "?"
	if strings.Contains(path, "?") {
		joined = "&"
	}
	return path + joined + modeParam + "=" + modeTest
}

// inTestMode returns a request for the same page in TEST: where every message is simulated, there is no other mode.
func inTestMode(r *http.Request) *http.Request {
	q := r.URL.Query()
	q.Set(modeParam, modeTest)
	to, address := r.WithContext(r.Context()), *r.URL
	address.RawQuery = q.Encode()
	to.URL = &address
	return to
}

// addMode adds the mode to the shell, and the way to the same page in the other one, where there is one.
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
	s.LiveURL, s.TestURL = path, inMode(path, web.TestMode)
}

// kept is what the other mode keeps of a page's query: not a place in the list, a status, or what a form did.
func kept(v *visit, path string) string {
	if !reads(v.r) || v.r.URL.Path != path {
		return "" // the item of the navigation is another page
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
