package web_test

import (
	"strings"
	"testing"

	"example.com/griot/internal/i18n"
	"example.com/griot/web"
	"example.com/griot/web/webtest"
)

func render(t *testing.T, pages *web.Pages, page string, lang i18n.Lang, data any) string {
	t.Helper()
	var b strings.Builder
	if err := pages.Render(&b, page, lang, data); err != nil {
		t.Fatalf("%s in %s: %v", page, lang, err)
	}
	return b.String()
}

func allSamples() []webtest.Sample {
	return append(
		webtest.Samples("calm", "a text", "https://app.example/x?y=z#w"),
		webtest.Samples("hostile", `</title></template><script>alert(1)</script>'"> onload=alert(1) {{.}} <!--`, `javascript:alert("1")//'onclick=`)...,
	)
}
