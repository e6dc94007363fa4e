package httpx

import (
	"net/http"
	"strings"
)

// AcceptsHTML reports whether Accept names text/html.
func AcceptsHTML(r *http.Request) bool {
	for _, header := range r.Header.Values("Accept") {
		for item := range strings.SplitSeq(header, ",") {
			name, params, _ := strings.Cut(item, ";")
			if strings.EqualFold(strings.TrimSpace(name), "text/html") && strings.ReplaceAll(params, " ", "") != "q=0" {
				return true
			}
		}
	}
	return false
}

// Below reports whether a path is that of a folder, or of something in it.
func Below(path, folder string) bool {
	rest, ok := strings.CutPrefix(path, folder)
	return ok && (rest == "" || rest[0] == '/')
}

// SeenByPeople reports whether a person sees the answer to a request: at the address of a page, or where there is nothing.
// Endpoints of programs answer with JSON whatever the request accepts, because some clients send text/html in Accept without
// wanting it.
func SeenByPeople(r *http.Request, isPage func(path string) bool) bool {
	if !AcceptsHTML(r) {
		return false
	}
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	return isPage(r.URL.Path) || reads && r.Pattern == "/" // the router's pattern for every other address
}
