package forms

import (
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// What browsers read the same way stays the same: scripts, pages without scripts, pictures, and line breaks of fields.
func TestChanged_KeepsThePage(t *testing.T) {
	const page = `<!DOCTYPE html><html lang="fr"><head><meta charset="utf-8"/><noscript><link rel="stylesheet" href="/a.css"/></noscript>` +
		`<script nonce="n">if (1 < 2 && "</p>") { f("é") }</script></head><body><main id="main"><noscript><p>Sans <b>script</b></p></noscript>` +
		`<svg viewBox="0 0 1 1" aria-hidden="true"><path d="M0 0h1"></path></svg><textarea name="text">` + "\n\n" + `Deux lignes &lt;ici&gt;</textarea></main></body></html>`
	if got := changed(page, func(*html.Node) {}); got != page {
		t.Errorf("got  %s\nwant %s", got, page)
	}
}

func TestFill_EachKindOfControl(t *testing.T) {
	const page = `<main><form method="get" action="/a"><input name="to" value="1"/></form><form method="post" action="/a">` +
		`<input type="hidden" name="form-mark" value="m"/><input name="to"/><input type="password" name="password" value=""/>` +
		`<input type="checkbox" name="box" checked=""/><input type="checkbox" name="on"/><input type="checkbox" name="two" value="b"/>` +
		`<input type="radio" name="one" value="a" checked=""/><input type="radio" name="one" value="b"/>` +
		`<select name="of"><option value="x" selected="">X</option><option value="y">Y</option></select>` +
		`<select name="kept"><option value="x" selected="">X</option></select><textarea name="text">old</textarea></form></main>`
	f := &kept{Action: "/a", Fields: url.Values{
		"form-mark": {"other"}, "to": {`"><b>`}, "password": {"secret"}, "on": {"on"}, "two": {"a", "b"}, "one": {"b"}, "of": {"y"}, "text": {"\nBonjour"},
	}}
	got := changed(page, func(doc *html.Node) {
		if !filled(f, doc) {
			t.Error("the form wasn't found")
		}
	})
	_, got, _ = strings.Cut(strings.TrimSuffix(got, "</form></main></body></html>"), `<form method="post" action="/a">`)
	if want := `<input type="hidden" name="form-mark" value="m"/><input name="to" value="&#34;&gt;&lt;b&gt;"/><input type="password" name="password" value=""/>` +
		`<input type="checkbox" name="box"/><input type="checkbox" name="on" checked=""/><input type="checkbox" name="two" value="b" checked=""/>` +
		`<input type="radio" name="one" value="a"/><input type="radio" name="one" value="b" checked=""/>` +
		`<select name="of"><option value="x">X</option><option value="y" selected="">Y</option></select>` +
		`<select name="kept"><option value="x" selected="">X</option></select><textarea name="text">` + "\n\nBonjour</textarea>"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if f.Action = "/b"; filled(f, &html.Node{}) {
		t.Error("a form of another address was found")
	}
}

func filled(f *kept, doc *html.Node) bool {
	_, found := f.fill(doc)
	return found
}
