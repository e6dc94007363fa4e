package forms

import (
	"cmp"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// changed returns a page after change has edited its document.
func changed(page string, change func(doc *html.Node)) string {
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil { // only of the reader, which has none
		return page
	}
	change(doc)
	var b strings.Builder
	_ = html.Render(&b, doc) // the builder has no errors
	return b.String()
}

// carry adds a sealed form and a note to a sign-in page. Its links open another tab, so that the page stays open. sealed
// is empty for a form that is too large.
func (k *Keeper) carry(r *http.Request, doc *html.Node, sealed, note string) {
	lang, main := k.API.Lang(r), first(doc, atom.Main)
	if main == nil {
		return
	}
	hidden := `<input type="hidden" name="` + KeptField + `" value="` + template.HTMLEscapeString(sealed) + `">`
	if sealed != "" {
		for a := range elements(main, atom.A) {
			setAttribute(a, "target", "_blank")
		}
	}
	forms := slices.Collect(posted(main))
	for i, form := range forms {
		if sealed != "" {
			insert(form, nil, hidden)
		}
		if i > 0 {
			continue
		}
		insert(form.Parent, form, `<p class="note warn" role="alert">`+lang.T(note)+`</p>`)
		if sealed != "" {
			insert(form.Parent, form.NextSibling, `<form method="post" action="`+k.Home+KeptPath+`" class="stack">`+hidden+`<p class="soft small">`+lang.T("unsent.other_tab")+
				`</p><button type="submit" class="button wide">`+lang.T("unsent.show")+`</button></form>`)
		}
	}
}

// notice adds a sentence, and texts, before the content of a page. A script gives the page its own address.
func notice(doc *html.Node, address, sentence string, texts ...string) {
	main := first(doc, atom.Main)
	if main == nil {
		return
	}
	out := `<div class="alert warn notice" role="status" data-address="` + template.HTMLEscapeString(address) + `"><div><p>` + sentence + `</p>`
	for _, text := range texts {
		out += `<p class="break" dir="auto">` + template.HTMLEscapeString(text) + `</p>`
	}
	insert(main, main.FirstChild, out+`</div></div>`)
}

// removePreferences removes the forms for language and colors, which would request the address of the form.
func removePreferences(doc *html.Node) {
	for nav := range elements(doc, atom.Nav) {
		if attribute(nav, "class") == "preferences" {
			nav.Parent.RemoveChild(nav)
			return
		}
	}
}

// texts returns the field values that are longer than a word.
func (f *kept) texts() (texts []string) {
	for _, name := range slices.Sorted(maps.Keys(f.Fields)) {
		if text := f.Fields.Get(name); strings.ContainsAny(text, " \n") {
			texts = append(texts, text)
		}
	}
	return texts
}

// fill fills in the form on a page, and returns the values of fields that the form doesn't have now. found is false if the
// page doesn't have the form.
func (f *kept) fill(doc *html.Node) (left []string, found bool) {
	for form := range posted(doc) {
		if attribute(form, "action") != f.Action {
			continue
		}
		has := map[string]bool{}
		name := "" // name of the control, or of the select that an option is in
		for control := range elements(form, atom.Input, atom.Select, atom.Option, atom.Textarea, atom.Button) {
			if control.DataAtom != atom.Option {
				name = attribute(control, "name")
				has[name] = true
			}
			if !IsSecret(name) && name != MarkField {
				fillIn(control, f.Fields[name])
			}
		}
		for _, name := range slices.Sorted(maps.Keys(f.Fields)) {
			if value := f.Fields.Get(name); value != "" && !has[name] && !IsSecret(name) && name != MarkField {
				left = append(left, value)
			}
		}
		return left, true
	}
	return nil, false
}

// fillIn gives a control its values. Without values, it only clears the selection.
func fillIn(control *html.Node, values []string) {
	typ := attribute(control, "type")
	switch checkbox, option := typ == "checkbox", control.DataAtom == atom.Option; {
	case checkbox || typ == "radio" || option && len(values) > 0:
		removeAttribute(control, "checked")
		removeAttribute(control, "selected")
		own := attribute(control, "value")
		if !slices.Contains(values, own) && !(checkbox && slices.Contains(values, cmp.Or(own, "on"))) {
			return
		}
		if option {
			setAttribute(control, "selected", "")
		} else {
			setAttribute(control, "checked", "")
		}
	case len(values) == 0:
	case control.DataAtom == atom.Textarea:
		for control.FirstChild != nil {
			control.RemoveChild(control.FirstChild)
		}
		control.AppendChild(&html.Node{Type: html.TextNode, Data: values[0]})
	case control.DataAtom == atom.Input:
		setAttribute(control, "value", values[0])
	}
}

// elements returns the elements of the given kinds below a node, in their order.
func elements(below *html.Node, kinds ...atom.Atom) func(yield func(*html.Node) bool) {
	return func(yield func(*html.Node) bool) {
		for n := range below.Descendants() {
			if n.Type == html.ElementNode && slices.Contains(kinds, n.DataAtom) && !yield(n) {
				return
			}
		}
	}
}

// first returns the first element of a kind, or nil.
func first(below *html.Node, kind atom.Atom) *html.Node {
	for n := range elements(below, kind) {
		return n
	}
	return nil
}

// posted returns the forms below a node that are sent with POST.
func posted(below *html.Node) func(yield func(*html.Node) bool) {
	return func(yield func(*html.Node) bool) {
		for form := range elements(below, atom.Form) {
			if attribute(form, "method") == "post" && !yield(form) {
				return
			}
		}
	}
}

// insert adds the elements of a text to a node, before one of its children, or at its end if before is nil.
func insert(parent, before *html.Node, text string) {
	nodes, _ := html.ParseFragment(strings.NewReader(text), &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div}) // the reader has no errors
	for _, n := range nodes {
		parent.InsertBefore(n, before)
	}
}

// attribute returns the value of an element's attribute, or "".
func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Namespace == "" && a.Key == name {
			return a.Val
		}
	}
	return ""
}

func setAttribute(n *html.Node, name, value string) {
	removeAttribute(n, name)
	n.Attr = append(n.Attr, html.Attribute{Key: name, Val: value})
}

func removeAttribute(n *html.Node, name string) {
	n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool { return a.Namespace == "" && a.Key == name })
}
