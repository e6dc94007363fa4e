package arch_test

import (
	"bytes"
	"fmt"
	"go/scanner"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// britishWords are the words that docs/style.md excludes, with the American ones. Forms of a word are listed together.
var britishWords = []struct{ match, write string }{
	{`e-mail(s|ed|ing)?`, "email"},
	{`(behavi|col|fav|flav|harb|hon|hum|lab|neighb|rum)our\w*`, "the form with -or-"},
	{`(author|capital|categor|character|custom|emphas|final|general|initial|maxim|minim|normal|optim|organ|priorit|random|real|recogn|sanit|serial|special|standard|summar|synchron|token|util|visual)is(e|ed|er|ers|es|ing|ation|ations)`, "the form with -iz-"},
	{`analys(e|ed|er|ing)`, "analyze"},
	{`(cancel|channel|dial|label|level|model|signal|travel)l(ed|er|ers|ing)`, "the form with one l"},
	{`(cent|fib|lit|met|theat)re(s|d)?`, "the form with -er"},
	{`catalogue(s|d)?`, "catalog"},
	{`(defen|licen|offen|preten)ces?`, "the form with -s-"},
	{`artefacts?`, "artifact"},
	{`grey(s|ed|ish)?`, "gray"},
	{`(acknowledge|judge)ments?`, "the form with -dgment"},
	{`(fulfil|enrol)(s|ment)?|skilful`, "the form with -ll-"},
	{`programmes?`, "program"},
	{`whilst|amongst`, "while; among"},
	{`(after|back|down|to|up)wards`, "the form without s"},
	{`learnt|spelt|misspelt|burnt|dreamt`, "the form with -ed"},
}

var britishPattern = func() *regexp.Regexp {
	all := make([]string, len(britishWords))
	for i, w := range britishWords {
		all[i] = w.match
	}
	return regexp.MustCompile(`(?i)\b(?:` + strings.Join(all, "|") + `)\b`)
}()

// britishExceptions are the texts that keep a British spelling. A text counts below its path, and everywhere without one.
// Its case counts too.
var britishExceptions = []struct{ below, text, why string }{
	{"", "test/system/behaviour", "a directory"},
	{"", "`cancelled`", "a reason of the API and the gateway protocol"},
	{"", `"cancelled"`, "a reason of the API and the gateway protocol"},
	{"test/system/behaviour", "Package behaviour", "a package"},
	{"test/system/behaviour", "behaviour_test.go", "a file"},
	{"cmd/griot/deploy_test.go", `"colour: blue`, "a setting that doesn't exist"},
	{"docs/style.md", "`organisation`", "French"},
	{"test/system/pages/operator/browser_test.go", "E-mail par", "French"},
	{"gateway/smtp/outcome_test.go", "4.2.0 grey", "a relay's response"},
	{"gateway/internal/smscreport", "CANCELLED", "a spelling of message centers"},
	{"gateway/smpp", "CANCELLED", "a spelling of message centers"},
	{"gateway/smsgate", `"sms:cancelled"`, "an event of the app"},
	{"griot-whatsapp/gateway/pair_test.go", "want cancelled", "a reason of the gateway protocol"},
	{"messaging/api/assistant_test.go", "notifications/cancelled", "a method of the assistant protocol"},
	{"messaging/pairing/pairing_test.go", "qr cancelled", "a reason in an event"},
	{"messaging/pairing/pairing_test.go", "code cancelled", "a reason in an event"},
	{"test/system/fleet/history", `"backwards"`, "a rule's stored name"},
	{"internal/i18n", "catalogues reads", "a function"},
	{"internal/i18n", "catalogue returns", "a function"},
	{"tools/audit", "licences returns", "a function"},
	{"tools/audit", `"LICENCE-2.0.txt"`, "a file that other projects have"},
	{"tools/dist", "licences returns", "a function"},
	{"web", "Catalogue", "a type"},
	{"web/static/js", "normalise", "a function"},
	{"web/static/css/tenant.css", ".colour", "a class"},
	{"web/templates/app/tenant_appearance.html", `"colour"`, "a class"},
}

// spellingExempt reports whether a file isn't checked, because of its language or because it lists the words.
func spellingExempt(name string) bool {
	return within(name, "internal/i18n/texts/fr") || slices.Contains([]string{"test/arch/spelling_test.go", "test/arch/prose_test.go"}, name) ||
		!slices.Contains([]string{".css", ".go", ".html", ".js", ".json", ".md", ".mjs", ".php", ".sh", ".sql", ".tmpl", ".ts", ".yaml", ".yml"}, path.Ext(name)) ||
		path.Ext(name) == ".json" && !within(name, "internal/i18n/texts")
}

// written returns the part of a file that is English text, with the same lines. Of Go, this is comments and strings. Of the
// changelog, it is the next release.
func written(name string, text []byte) []byte {
	if name == "CHANGELOG.md" {
		if at := nextRelease.FindIndex(text); at != nil {
			next, _, _ := bytes.Cut(text[at[1]:], []byte("\n## "))
			return text[:at[1]+len(next)]
		}
	}
	if path.Ext(name) != ".go" {
		return text
	}
	kept := slices.Clone(text)
	for i, b := range kept {
		if b != '\n' {
			kept[i] = ' '
		}
	}
	var s scanner.Scanner
	file := token.NewFileSet().AddFile(name, -1, len(text))
	s.Init(file, text, nil, scanner.ScanComments)
	for {
		pos, tok, literal := s.Scan()
		if tok == token.EOF {
			return kept
		}
		if tok == token.COMMENT || tok == token.STRING {
			copy(kept[file.Offset(pos):], literal)
		}
	}
}

// british returns the British words of a file with their lines, and marks the exceptions that it uses.
func british(name string, text []byte, used []bool) (found []string) {
	kept := slices.Clone(written(name, text))
	for i, e := range britishExceptions {
		if (e.below == "" || within(name, e.below)) && bytes.Contains(kept, []byte(e.text)) {
			used[i] = true
			kept = bytes.ReplaceAll(kept, []byte(e.text), bytes.Repeat([]byte(" "), len(e.text)))
		}
	}
	for _, at := range britishPattern.FindAllIndex(kept, -1) {
		word := string(kept[at[0]:at[1]])
		found = append(found, fmt.Sprintf("%s:%d: %q isn't American: write %s", name, 1+bytes.Count(kept[:at[0]], []byte("\n")), word, american(word)))
	}
	return found
}

func american(word string) string {
	for _, w := range britishWords {
		if regexp.MustCompile(`(?i)^(?:` + w.match + `)$`).MatchString(word) {
			return w.write
		}
	}
	return ""
}

// The spelling is American in comments, strings, pages, and documents.
func TestSpelling_IsAmerican(t *testing.T) {
	used := make([]bool, len(britishExceptions))
	checked := 0
	eachFile(t, func(name string) {
		if spellingExempt(name) {
			return
		}
		checked++
		for _, f := range british(name, readFile(t, name), used) {
			t.Error(f)
		}
	})
	if checked < 2000 {
		t.Errorf("%d files are checked: are the others still seen?", checked)
	}
	for i, e := range britishExceptions {
		if !used[i] {
			t.Errorf("%q (%s) isn't below %q any longer: remove the exception", e.text, e.why, e.below)
		}
	}
}

func TestSpelling_IsFound(t *testing.T) {
	for what, c := range map[string]struct {
		name, text string
		lines      []string
	}{
		"a page":                 {"docs/x.md", "# A\n\nAn e-mail.\nIts Colours.\n", []string{"docs/x.md:3", "docs/x.md:4"}},
		"forms of a word":        {"a.sql", "-- recognises, organisation, labelled, centre, licences, whilst, towards\n", slices.Repeat([]string{"a.sql:1"}, 7)},
		"American words":         {"a.js", "// email emphasis organism canceled cancellation forwards analyses programmed promise advise\n", nil},
		"a part of a word":       {"a.html", `<p class="bubble-mail" aria-labelledby="x">`, nil},
		"an exception elsewhere": {"web/x.go", "package x // Catalogue, catalogue\n", []string{"web/x.go:1"}},
		"comments and strings": {
			"x.go", "package x\n\n// é behaviour\nvar colour = \"colour\" + `a\ngrey`\n",
			[]string{"x.go:3", "x.go:4", "x.go:5"},
		},
		"the next release only": {"CHANGELOG.md", "# C\n\n## 1.2.3 - Unreleased\n- A licence.\n\n## 0.1.0\n- An e-mail.\n", []string{"CHANGELOG.md:4"}},
	} {
		got := british(c.name, []byte(c.text), make([]bool, len(britishExceptions)))
		for i, line := range c.lines {
			if len(got) != len(c.lines) || !strings.HasPrefix(got[i], line+": ") {
				t.Errorf("%s: got %q, want %v", what, got, c.lines)
				break
			}
		}
		if len(c.lines) == 0 && len(got) > 0 {
			t.Errorf("%s: got %q, want none", what, got)
		}
	}
	for name, want := range map[string]bool{
		"internal/i18n/texts/fr/mails.json": true, "go.mod": true, "test/arch/prose_test.go": true, "sdk/typescript/package.json": true,
		"internal/i18n/texts/en/mails.json": false, "README.md": false, "web/web.go": false, "CHANGELOG.md": false,
	} {
		if got := spellingExempt(name); got != want {
			t.Errorf("spellingExempt(%s) = %v, want %v", name, got, want)
		}
	}
}
