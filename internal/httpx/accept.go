package httpx

import (
	"net/http"
	"strconv"
	"strings"
)

// AcceptsHTML reports whether Accept contains text/html and prefers it: its quality value is above 0 and not below
// that of JSON, which a wildcard can give (RFC 9110 §12.5.1).
func AcceptsHTML(r *http.Request) bool {
	html, jsonQuality, precise := -1.0, 0.0, -1
	for _, header := range r.Header.Values("Accept") {
		for item := range strings.SplitSeq(header, ",") {
			name, params, _ := strings.Cut(item, ";")
			name, q := strings.ToLower(strings.TrimSpace(name)), quality(params)
			if name == "text/html" {
				html = max(html, q)
			}
			// The most precise range that includes JSON determines its quality.
			if i := jsonRange(name); i > precise || i >= 0 && i == precise && q > jsonQuality {
				jsonQuality, precise = q, i
			}
		}
	}
	return html > 0 && html >= jsonQuality
}

// jsonRange returns the precision with which a media range names JSON, or -1 if it doesn't include JSON.
func jsonRange(name string) int {
	switch name {
	case "*/*", "*": // some clients send the latter
		return 0
	case "application/*":
		return 1
	case "application/json":
		return 2
	}
	return -1
}

// quality returns the quality value among the parameters of a media range; 1 if it is missing or malformed.
func quality(params string) float64 {
	for param := range strings.SplitSeq(params, ";") {
		name, value, _ := strings.Cut(param, "=")
		if strings.EqualFold(strings.TrimSpace(name), "q") {
			if q, err := strconv.ParseFloat(strings.TrimSpace(value), 64); err == nil && q >= 0 && q <= 1 {
				return q
			}
		}
	}
	return 1
}

// Below reports whether a path is a directory or below it.
func Below(path, folder string) bool {
	rest, ok := strings.CutPrefix(path, folder)
	return ok && (rest == "" || rest[0] == '/')
}

// SeenByPeople reports whether a person sees the response to a request: at the path of a page, or at an unknown path.
// Endpoints for programs respond with JSON regardless of Accept, because some clients send text/html in Accept without
// wanting it.
func SeenByPeople(r *http.Request, isPage func(path string) bool) bool {
	if !AcceptsHTML(r) {
		return false
	}
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	return isPage(r.URL.Path) || reads && r.Pattern == "/" // the router's pattern for all unknown paths
}
