package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"strings"
	"time"
)

const staticPrefix = "/static/"

// assets are the static files by name ("js/waiting.js").
type assets struct {
	byName  map[string]asset
	version string // a hash of all of them
}

type asset struct {
	body              []byte
	contentType, etag string
}

func loadAssets() (assets, error) {
	a := assets{byName: map[string]asset{}}
	all := sha256.New()
	err := fs.WalkDir(files, "static", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		body, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		contentType, ok := contentTypeOf(name)
		if !ok {
			return fmt.Errorf("%s: no content type for this kind of file", name)
		}
		name = strings.TrimPrefix(name, "static/")
		sum := sha256.Sum256(body)
		fmt.Fprintf(all, "%s\x00%s", name, sum)
		a.byName[name] = asset{body: body, contentType: contentType, etag: `"` + base64.RawURLEncoding.EncodeToString(sum[:]) + `"`}
		return nil
	})
	a.version = hex.EncodeToString(all.Sum(nil))[:12]
	return a, err
}

// contentTypeOf is not left to the machine's own table of types, which some systems get wrong for scripts.
func contentTypeOf(name string) (contentType string, ok bool) {
	switch path.Ext(name) {
	case ".css":
		return "text/css; charset=utf-8", true
	case ".js":
		return "text/javascript; charset=utf-8", true
	case ".svg":
		return "image/svg+xml", true
	case ".png":
		return "image/png", true
	}
	return "", false
}

// url returns the address of a file. The version in it makes a new release's pages
// load the new release's files, and a script's relative imports inherit it.
func (a assets) url(name string) (string, error) {
	if _, ok := a.byName[name]; !ok {
		return "", fmt.Errorf("no static file %s", name)
	}
	return staticPrefix + "v-" + a.version + "/" + name, nil
}

var versionSegment = regexp.MustCompile(`^v-[0-9a-f]{12}/`)

// Static serves the files that pages refer to, below /static/; what is not one is
// left to absent.
func (p *Pages) Static(absent http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, http.StatusText(http.StatusMethodNotAllowed), http.StatusMethodNotAllowed)
			return
		}
		name := strings.TrimPrefix(r.URL.Path, staticPrefix)
		file, ok := p.assets.byName[versionSegment.ReplaceAllString(name, "")]
		if !ok {
			absent(w, r)
			return
		}
		h := w.Header()
		h.Set("Content-Type", file.contentType)
		h.Set("ETag", file.etag)
		h.Set("Cache-Control", "public, max-age=3600")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Content-Security-Policy", CSP) // for a picture that is opened by itself
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(file.body))
	})
}
