package web

import (
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"sync"

	"example.com/griot/internal/i18n"
)

// The files of the button "Sign in by message", which other sites load; see docs/button.md.
const (
	ButtonScript = "button.js"
	ButtonStyle  = "button.css"
)

// buttonFiles creates the button's files once: with its text in each language, and without comments.
var buttonFiles = sync.OnceValues(func() (map[string]asset, error) {
	texts := []string{"DEFAULT_LANG", string(i18n.Default)}
	for _, lang := range i18n.Langs() {
		texts = append(texts, "TEXT_"+string(lang), lang.T("button.text"))
	}
	z, err := gzip.NewWriterLevel(io.Discard, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	made := map[string]asset{}
	for _, name := range []string{ButtonScript, ButtonStyle} {
		source, err := fs.ReadFile(files, "button/"+name)
		if err == nil {
			made[name], err = newAsset(z, name, []byte(strings.NewReplacer(texts...).Replace(string(source))))
		}
		if err != nil {
			return nil, fmt.Errorf("web: %s: %w", name, err)
		}
	}
	return made, nil
})

// Button serves one of the button's files to pages of any site, at a URL that stays the same across releases.
func (p *Pages) Button(name string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Cache-Control", cacheOther)
		h.Set("Access-Control-Allow-Origin", "*")
		h.Set("Cross-Origin-Resource-Policy", "cross-origin") // for isolated pages (COEP)
		p.button[name].serve(w, r)
	})
}
