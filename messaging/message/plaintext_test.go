package message_test

import (
	"strings"
	"testing"
	"unicode"

	"example.com/griot/gateway"
	"example.com/griot/messaging/message"
)

// textPart returns the plain-text part of an email whose request has only HTML.
func textPart(t *testing.T, html string) string {
	t.Helper()
	m := &message.Message{ID: "msg_1", Channel: gateway.Email, Address: "awa@example.com", Content: message.Content{HTML: html}}
	return m.Outbound().Text
}

// The text part of an email with only HTML has its words in their lines, and nothing that a reader doesn't see.
// Rules: M21.
func TestOutbound_MakesTheTextPart(t *testing.T) {
	for html, want := range map[string]string{
		"<p>Votre commande <b>2041</b> est prête.</p>":                           "Votre commande 2041 est prête.",
		"<h1>Commande&nbsp;n°&#32;2041</h1><p>Elle est\n   prête.<p>À bientôt":   "Commande\u00a0n° 2041\n\nElle est prête.\n\nÀ bientôt",
		"<div>Awa</div><div>Diallo</div>":                                        "Awa\nDiallo",
		"Awa<br>Diallo<br/><br />Bamako":                                         "Awa\nDiallo\n\nBamako",
		"<table><tr><td>a<td>b</tr><tr><th>c</th><th>d</th></tr></table>fin":     "a b\nc d\n\nfin",
		"<ul><li>un</li><li>deux</li></ul>":                                      "- un\n- deux",
		"<ol>\n <li>un\n <li>deux\n</ol>":                                        "- un\n- deux",
		`<a href="https://shop.example/o?a=1&amp;b=2">Suivre</a> la commande`:    "Suivre (https://shop.example/o?a=1&b=2) la commande",
		`<a href="https://shop.example/">https://shop.example/</a>.`:             "https://shop.example/.",
		`<a href="mailto:awa@example.com">Écrire</a>`:                            "Écrire (awa@example.com)",
		`<a href="#top">Haut</a> <a name=x>ici</a>`:                              "Haut ici",
		"<head><title>T</title><style>p{}</style></head><script>x()</script>Oui": "Oui",
		"<!-- a --><!doctype html>Oui<!-- b -->":                                 "Oui",
		`<img src=a.png alt="Le logo"> Bonjour`:                                  "Le logo Bonjour",
		"<pre>a\r\n  b</pre>c":                                                   "a\n  b\n\nc",
		"5 &lt; 6 &amp; 7 &euro; don&rsquo;t":                                    "5 < 6 & 7 € don’t",
		"1 < 2":                                                                  "1 < 2",
		"b<b>o</b>n":                                                             "bon",
		"<p></p><p> </p><p>a</p>":                                                "a",
		"<img src=a.png>":                                                        "",
	} {
		if got := textPart(t, html); got != want {
			t.Errorf("%q: got %q, want %q", html, got, want)
		}
	}
	m := &message.Message{ID: "msg_1", Channel: gateway.Email, Address: "awa@example.com", Content: message.Content{Text: "own", HTML: "<p>other"}}
	if out := m.Outbound(); out.Text != "own" || out.HTML != "<p>other" {
		t.Errorf("an email with both: %q, %q", out.Text, out.HTML)
	}
}

// The text of any document ends, and has each of its visible words.
func FuzzOutbound_TextPart(f *testing.F) {
	for _, s := range []string{"<p>a</p>", "<pre> a\n", "<a href=https://x>", "<template>", "<td>", "&#0;", "<li", "\xff<br>"} {
		f.Add(s, "mot")
	}
	f.Fuzz(func(t *testing.T, html, word string) {
		textPart(t, html)
		plain := strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) })
		if got := textPart(t, "<div>"+word+"</div><p>"+word+"</p>"); !plain && word != "" && got != word+"\n\n"+word {
			t.Errorf("%q: %q", word, got)
		}
	})
}
