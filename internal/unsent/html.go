package unsent

import (
	"cmp"
	"html"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// The parts of pages as their templates write them. Values are quoted and contain no angle brackets.
var (
	preferences = regexp.MustCompile(`(?s)<nav class="preferences".*?</nav>`)

	posted  = regexp.MustCompile(`(?s)<form [^>]*method="post"[^>]*>.*?</form>`)
	control = regexp.MustCompile(`<(?:input|select|option)\b[^>]*>|<textarea\b[^>]*>[^<]*`)
	chosen  = regexp.MustCompile(` (?:checked|selected)\b`)
	value   = regexp.MustCompile(` value="[^"]*"`)
	content = regexp.MustCompile(`<main [^>]*>`)
)

// carry returns a sign-in page that contains a sealed form. Its links open another tab, so that the page stays open.
func (k *Keeper) carry(r *http.Request, page, sealed, note string) string {
	lang, first := k.Lang(r), true
	above, main, _ := strings.Cut(page, "<main ")
	if sealed != "" {
		main = strings.ReplaceAll(main, "<a ", `<a target="_blank" `)
	}
	hidden := `<input type="hidden" name="` + Field + `" value="` + html.EscapeString(sealed) + `">`
	return above + "<main " + posted.ReplaceAllStringFunc(main, func(form string) string {
		if sealed != "" {
			form = strings.Replace(form, "</form>", hidden+"</form>", 1)
		}
		if !first {
			return form
		}
		first = false
		form = `<p class="note warn" role="alert">` + lang.T(note) + `</p>` + form
		if sealed != "" {
			form += `<form method="post" action="` + k.Home + Path + `" class="stack">` + hidden + `<p class="soft small">` + lang.T("unsent.other_tab") +
				`</p><button type="submit" class="button wide">` + lang.T("unsent.show") + `</button></form>`
		}
		return form
	})
}

// notice returns a page with a sentence, and with texts, before its content. A script gives the page its own address.
func notice(page, address, sentence string, texts ...string) string {
	at := content.FindStringIndex(page)
	if at == nil {
		return page
	}
	out := `<div class="alert warn notice" role="status" data-address="` + html.EscapeString(address) + `"><div><p>` + sentence + `</p>`
	for _, text := range texts {
		out += `<p class="break" dir="auto">` + html.EscapeString(text) + `</p>`
	}
	return page[:at[1]] + out + `</div></div>` + page[at[1]:]
}

// texts returns the field values that are longer than a word.
func (f *Form) texts() (texts []string) {
	for _, name := range slices.Sorted(maps.Keys(f.Fields)) {
		if text := f.Fields.Get(name); strings.ContainsAny(text, " \n") {
			texts = append(texts, text)
		}
	}
	return texts
}

// fill fills in the form on a page. It returns false if the page doesn't have the form.
func (f *Form) fill(page string) (string, bool) {
	filled, name := false, "" // name of the control, or of the select that an option is in
	page = posted.ReplaceAllStringFunc(page, func(form string) string {
		if filled || attribute(form, "action") != f.Action {
			return form
		}
		filled = true
		return control.ReplaceAllStringFunc(form, func(tag string) string {
			if !strings.HasPrefix(tag, "<option") {
				name = attribute(tag, "name")
			}
			if IsSecret(name) || name == Mark {
				return tag
			}
			return fillIn(tag, f.Fields[name])
		})
	})
	return page, filled
}

// fillIn returns a control with its values. Without values, it only clears the selection.
func fillIn(tag string, values []string) string {
	kind, typ := strings.Fields(tag)[0], attribute(tag, "type")
	switch {
	case typ == "checkbox" || typ == "radio" || kind == "<option" && len(values) > 0:
		tag = chosen.ReplaceAllString(tag, "")
		if own := attribute(tag, "value"); slices.Contains(values, own) || typ == "checkbox" && slices.Contains(values, cmp.Or(own, "on")) {
			return strings.TrimSuffix(tag, ">") + map[bool]string{true: " selected>", false: " checked>"}[kind == "<option"]
		}
	case len(values) == 0:
	case kind == "<textarea":
		return tag[:strings.Index(tag, ">")+1] + "\n" + html.EscapeString(values[0]) // a browser drops the first line break
	case kind == "<input":
		return strings.TrimSuffix(value.ReplaceAllLiteralString(tag, ""), ">") + ` value="` + html.EscapeString(values[0]) + `">`
	}
	return tag
}

// attribute returns the value of a tag's attribute, or "".
func attribute(tag, name string) string {
	_, after, _ := strings.Cut(tag, " "+name+`="`)
	text, _, _ := strings.Cut(after, `"`)
	return html.UnescapeString(text)
}
