package api

import (
	"net/http"
	"strings"

	"griot/web"
)

// termsPage has the conditions of use.
func (a *API) termsPage(w http.ResponseWriter, r *http.Request) error {
	return a.page(w, r, web.PageTerms, web.Legal{Paragraphs: a.terms})
}

// privacyPage says what happens to a person's data.
func (a *API) privacyPage(w http.ResponseWriter, r *http.Request) error {
	return a.page(w, r, web.PagePrivacy, web.Legal{Paragraphs: a.privacy})
}

// paragraphs splits a text at its empty lines.
func paragraphs(text string) []string {
	var list []string
	text = strings.ReplaceAll(text, "\r\n", "\n")
	for p := range strings.SplitSeq(text, "\n\n") {
		if p = strings.TrimSpace(p); p != "" {
			list = append(list, p)
		}
	}
	return list
}
