package web

import (
	"bytes"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"path"
	"strings"

	"griot/internal/i18n"
)

const layout = "templates/layout.html"

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
	names, err := fs.Glob(files, "templates/*.html")
	if err != nil {
		return nil, fmt.Errorf("web: %w", err)
	}
	p := &Pages{templates: map[i18n.Lang]map[string]*template.Template{}, assets: assets}
	for _, lang := range i18n.Langs() {
		p.templates[lang] = map[string]*template.Template{}
		for _, name := range names {
			if name == layout {
				continue
			}
			page := strings.TrimSuffix(path.Base(name), ".html")
			t, err := template.New("layout.html").Funcs(functions(lang, assets)).Option("missingkey=error").ParseFS(files, layout, name)
			if err != nil {
				return nil, fmt.Errorf("web: page %s: %w", page, err)
			}
			p.templates[lang][page] = t
		}
	}
	return p, nil
}

// functions are what templates can call: the page's texts and the addresses of its files.
func functions(lang i18n.Lang, assets assets) template.FuncMap {
	return template.FuncMap{
		"t":       lang.T,
		"lang":    func() string { return string(lang) },
		"asset":   assets.url,
		"imports": assets.imports,
	}
}

// Render writes a page in a language. Nothing is written when it fails.
func (p *Pages) Render(w io.Writer, page string, lang i18n.Lang, data any) error {
	if _, ok := p.templates[lang]; !ok {
		lang = i18n.Default
	}
	return p.render(w, page, newFrame(lang), data)
}

// view is what the layout is executed with; the page's own parts get its Data.
type view struct {
	Frame frame
	Data  any
}

func (p *Pages) render(w io.Writer, page string, f frame, data any) error {
	t, ok := p.templates[f.Lang][page]
	if !ok {
		return fmt.Errorf("web: no page %q", page)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, view{f, data}); err != nil {
		return fmt.Errorf("web: page %s: %w", page, err)
	}
	_, err := b.WriteTo(w)
	return err
}
