package web

import (
	"bytes"
	"cmp"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"example.com/griot/internal/i18n"
)

// The layouts of pages, and the components that pages of one kind share.
const (
	layout     = "templates/layout.html"
	shell      = "templates/app/shell.html"
	components = "templates/app/components.html"
	docsParts  = "templates/docs/parts.html"
)

// Pages are all pages and their files. They are safe for concurrent use.
type Pages struct {
	templates map[templateKey]func() (*template.Template, error)
	assets    assets
	button    map[string]asset // the files of the button
}

type templateKey struct {
	lang i18n.Lang
	page string
}

// New lists the embedded pages in every language. A page is parsed on its first use, because a page's tree uses
// about 100 kB and most processes show only a few pages.
func New() (*Pages, error) {
	assets, err := embeddedAssets()
	if err != nil {
		return nil, fmt.Errorf("web: %w", err)
	}
	button, err := buttonFiles()
	if err != nil {
		return nil, err
	}
	p := &Pages{templates: map[templateKey]func() (*template.Template, error){}, assets: assets, button: button}
	for _, kind := range []struct {
		pattern string
		around  []string // the layout and its dependencies
	}{
		{"templates/*.html", []string{layout}},
		{"templates/docs/*.html", []string{layout, docsParts}},
		{"templates/app/*.html", []string{shell, layout, components}},
	} {
		if err := p.list(kind.pattern, kind.around); err != nil {
			return nil, fmt.Errorf("web: %w", err)
		}
	}
	return p, nil
}

// list adds the pages that match a pattern, each within a layout.
func (p *Pages) list(pattern string, around []string) error {
	names, err := fs.Glob(files, pattern)
	if err != nil {
		return err
	}
	for _, name := range names {
		if slices.Contains(around, name) {
			continue
		}
		for _, lang := range i18n.Langs() {
			key := templateKey{lang, strings.TrimSuffix(path.Base(name), ".html")}
			if _, ok := p.templates[key]; ok {
				return fmt.Errorf("two pages are called %s", key.page)
			}
			p.templates[key] = sync.OnceValues(func() (*template.Template, error) {
				t := template.New(path.Base(around[0])).Funcs(functions(lang, p.assets)).Option("missingkey=error")
				return t.ParseFS(files, append(slices.Clone(around), name)...)
			})
		}
	}
	return nil
}

// functions returns the functions of templates: the page's texts and the URLs of its files.
func functions(lang i18n.Lang, assets assets) template.FuncMap {
	return template.FuncMap{
		"t":       lang.T,
		"lang":    func() string { return string(lang) },
		"asset":   assets.url,
		"imports": assets.imports,
		"icon":    icon,
		"time":    timeElement,
		"short":   shortTimeElement,
		"exact":   exactTimeElement,
		"date":    dateIn(lang),
		"contact": contactURL,
		"number":  lang.Number,
		"iso":     func(at time.Time) string { return at.UTC().Format(time.RFC3339) },
		"plus1":   func(n int) int { return n + 1 },
	}
}

// Render writes a page in a language. Nothing is written if it fails.
func (p *Pages) Render(w io.Writer, page string, lang i18n.Lang, data any) error {
	if !lang.Valid() {
		lang = i18n.Default
	}
	return p.render(w, page, view{Frame: newFrame(lang), Data: data})
}

// view is the data of a layout. The page's own parts get its Data.
type view struct {
	Frame frame
	Shell *Shell // of a dashboard's page
	Data  any
	once  bool // of [Pages.ServeOnce]
}

func (p *Pages) render(w io.Writer, page string, v view) error {
	parse, ok := p.templates[templateKey{v.Frame.Lang, page}]
	if !ok {
		return fmt.Errorf("web: no page %q", page)
	}
	t, err := parse()
	if err != nil {
		return fmt.Errorf("web: page %s: %w", page, err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, v); err != nil {
		return fmt.Errorf("web: page %s: %w", page, err)
	}
	zone, now := time.UTC, time.Time{}
	if v.Shell != nil {
		zone, now = cmp.Or(v.Shell.Zone, zone), v.Shell.Now
	}
	_, err = w.Write(fillTimes(b.Bytes(), v.Frame.Lang, zone, now))
	return err
}
