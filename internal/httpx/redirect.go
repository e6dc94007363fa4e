package httpx

import (
	"net/http"
	"net/url"
	"path"
	"strings"
)

// SeeOther responds with a 303 to an unchanged address: the page after a form, or the page to open instead.
func SeeOther(w http.ResponseWriter, address string) error {
	w.Header().Set("Location", address)
	w.WriteHeader(http.StatusSeeOther)
	return nil
}

// WithQuery returns a path with a query. Without parameters, it returns only the path.
func WithQuery(path string, q url.Values) string {
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

// OwnPath returns the path and query of next if it is an address of this service in a directory, and the directory
// otherwise. next is the target after sign-in, and comes from the URL of the sign-in page, which anyone can make up.
func OwnPath(next, folder string) string {
	u, err := url.Parse(next)
	if err != nil || u.Scheme != "" || u.Host != "" || u.Opaque != "" || u.User != nil || strings.Contains(next, `\`) ||
		path.Clean(u.Path) != u.Path || !Below(u.Path, folder) {
		return folder
	}
	own := url.URL{Path: u.Path, RawQuery: u.Query().Encode()}
	return own.String()
}
