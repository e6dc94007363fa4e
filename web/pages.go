package web

import (
	"bytes"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"griot/internal/i18n"
)

// The layouts that pages stand in, and the components that pages of one kind share.
const (
	layout     = "templates/layout.html"
	shell      = "templates/app/shell.html"
	components = "templates/app/components.html"
	docsParts  = "templates/docs/parts.html"
)

// Pages are all pages, parsed, and the files that they refer to. They are safe for concurrent use.
type Pages struct {
	templates map[i18n.Lang]map[string]*template.Template
	assets    assets
}

// New parses the embedded pages in every language.
func New() (*Pages, error) {
	assets, err := loadAssets()
	if err != nil {
		return nil, fmt.Errorf("web: %w", err)
	}
	p := &Pages{templates: map[i18n.Lang]map[string]*template.Template{}, assets: assets}
	for _, lang := range i18n.Langs() {
		p.templates[lang] = map[string]*template.Template{}
		if err := p.parse(lang, "templates/*.html", layout); err != nil {
			return nil, fmt.Errorf("web: %w", err)
		}
		if err := p.parse(lang, "templates/docs/*.html", layout, docsParts); err != nil {
			return nil, fmt.Errorf("web: %w", err)
		}
		if err := p.parse(lang, "templates/app/*.html", shell, layout, components); err != nil {
			return nil, fmt.Errorf("web: %w", err)
		}
	}
	return p, nil
}

// parse parses the pages that match, each within a layout; what the layout needs follows it.
func (p *Pages) parse(lang i18n.Lang, pattern string, around ...string) error {
	names, err := fs.Glob(files, pattern)
	if err != nil {
		return err
	}
	for _, name := range names {
		if slices.Contains(around, name) {
			continue
		}
		page := strings.TrimSuffix(path.Base(name), ".html")
		if _, ok := p.templates[lang][page]; ok {
			return fmt.Errorf("two pages are called %s", page)
		}
		t := template.New(path.Base(around[0])).Funcs(functions(lang, p.assets)).Option("missingkey=error")
		if t, err = t.ParseFS(files, append(around[:len(around):len(around)], name)...); err != nil {
			return fmt.Errorf("page %s: %w", page, err)
		}
		p.templates[lang][page] = t
	}
	return nil
}

// functions are what templates can call: the page's texts and the addresses of its files.
func functions(lang i18n.Lang, assets assets) template.FuncMap {
	return template.FuncMap{
		"t":       lang.T,
		"lang":    func() string { return string(lang) },
		"asset":   assets.url,
		"imports": assets.imports,
		"icon":    icon,
		"time":    timeElement(lang),
		"date":    dateIn(lang),
		"iso":     func(at time.Time) string { return at.UTC().Format(time.RFC3339) },
		"plus1":   func(n int) int { return n + 1 },
	}
}

// Render writes a page in a language. Nothing is written when it fails.
func (p *Pages) Render(w io.Writer, page string, lang i18n.Lang, data any) error {
	if _, ok := p.templates[lang]; !ok {
		lang = i18n.Default
	}
	return p.render(w, page, view{Frame: newFrame(lang), Data: data})
}

// view is what a layout is executed with; the page's own parts get its Data.
type view struct {
	Frame frame
	Shell *Shell // of a dashboard's page
	Data  any
}

func (p *Pages) render(w io.Writer, page string, v view) error {
	t, ok := p.templates[v.Frame.Lang][page]
	if !ok {
		return fmt.Errorf("web: no page %q", page)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, v); err != nil {
		return fmt.Errorf("web: page %s: %w", page, err)
	}
	_, err := b.WriteTo(w)
	return err
}
