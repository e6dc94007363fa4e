package web

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

var versionSegment = regexp.MustCompile(`^v-[0-9a-f]{12}/`)

// Cache lifetimes of files: permanent at the URL of this release, whose content never changes, and otherwise an hour.
const (
	CacheForever = "public, max-age=31536000, immutable"
	cacheOther   = "public, max-age=3600"
)

// Static serves the files of pages below /static/, and calls absent for every other path.
func (p *Pages) Static(absent http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, http.StatusText(http.StatusMethodNotAllowed), http.StatusMethodNotAllowed)
			return
		}
		name := strings.TrimPrefix(r.URL.Path, staticPrefix)
		version := versionSegment.FindString(name)
		file, ok := p.assets.byName[strings.TrimPrefix(name, version)]
		if !ok {
			absent(w, r)
			return
		}
		cache := cacheOther
		if version == "v-"+p.assets.version+"/" {
			cache = CacheForever
		}
		w.Header().Set("Cache-Control", cache)
		file.serve(w, r)
	})
}

func (a asset) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", a.contentType)
	h.Set("X-Content-Type-Options", "nosniff")
	if a.contentType == "image/svg+xml" {
		h.Set("Content-Security-Policy", "default-src 'none'; sandbox") // a picture can be opened on its own, and is then a document
	}
	body := a.plain
	if a.gzip.body != nil {
		h.Add("Vary", "Accept-Encoding")
		if acceptsGzip(r) {
			body = a.gzip
			h.Set("Content-Encoding", "gzip")
		}
	}
	h.Set("ETag", body.etag)
	if strings.Contains(r.Header.Get("If-None-Match"), body.etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Length", strconv.Itoa(len(body.body)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(body.body)
	}
}
