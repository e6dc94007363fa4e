package browsertest

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/chromedp/chromedp"
)

// View is the theme, language, and window width of a page.
type View struct {
	Theme, Lang string
	Width       int64
}

// AllViewsVariable makes [Views] return every combination: make test-long ARGS=views sets it.
const AllViewsVariable = "GRIOT_TEST_VIEWS"

// Views returns two views that cover each theme, each language, and each width once. They find nearly all problems
// that the eight combinations find, in a quarter of the time.
func Views() []View {
	if os.Getenv(AllViewsVariable) == "" {
		return []View{{"light", "fr", 360}, {"dark", "en", 1280}}
	}
	var all []View
	for _, theme := range []string{"light", "dark"} {
		for _, lang := range []string{"fr", "en"} {
			all = append(all, View{theme, lang, 360}, View{theme, lang, 1280})
		}
	}
	return all
}

func (v View) String() string { return fmt.Sprintf("%d-%s-%s", v.Width, v.Theme, v.Lang) }

// Query returns the part of a URL that selects a view's theme and language.
func (v View) Query() string { return "theme=" + v.Theme + "&lang=" + v.Lang }

// keyOfText matches the text key that a page shows instead of a missing sentence. Events have names of two words
// ("tenant.created").
var keyOfText = regexp.MustCompile(`\b(dashboard|tenant|operator|shell|component|layout)(\.[a-z_]+){2,}\b`)

// Look opens a page of a dashboard in each view, and checks the rules for every page: a title, one heading, one unnamed
// submit button in each form, no text key instead of a sentence, no violation in axe-core, no cut block of code, and no
// content wider than the window, also with 320 pixels.
func (b *Tab) Look(name, address string) {
	b.t.Helper()
	joined := "?"
	if strings.Contains(address, "?") {
		joined = "&"
	}
	for _, v := range Views() {
		what := name + "-" + v.String()
		b.Do(chromedp.EmulateViewport(v.Width, 800), chromedp.Navigate(address+joined+v.Query()))
		b.WaitFor(`document.readyState === "complete" && document.documentElement.lang === "` + v.Lang + `" && document.documentElement.dataset.theme === "` + v.Theme + `"`)
		b.hasForm(what)
		b.Axe(what)
		b.Fits(what)
		b.WaitFor(`[...document.querySelectorAll(".content .code pre")].every((block) => block.scrollWidth <= block.clientWidth)`)
		b.Screenshot(what)
	}
	b.Do(chromedp.EmulateViewport(320, 700))
	b.Fits(name + ", 320 pixels")
	b.Do(chromedp.EmulateViewport(768, 1024))
	b.Fits(name + ", 768 pixels")
	b.WaitFor(`[...document.querySelectorAll(".table.log")].every((list) => list.scrollWidth <= list.clientWidth)`) // cards
	b.Screenshot(name + "-768")
}

// hasForm checks that a page has a title, one heading, sentences, and one button in each form.
func (b *Tab) hasForm(what string) {
	b.t.Helper()
	const read = `[document.title, document.querySelectorAll("h1").length, [...document.querySelectorAll("form")].filter((f) => f.querySelectorAll("[type=submit]:not([name])").length !== 1).length, document.body.innerText].join("\n")`
	text, err := chromedp.Run(b.Ctx, chromedp.Evaluate[string](read))
	if err != nil {
		b.t.Fatal(err)
	}
	part := strings.SplitN(text, "\n", 4)
	if len(part) != 4 || !strings.Contains(part[0], " · Griot") || part[1] != "1" || part[2] != "0" {
		b.t.Errorf("%s: got title, headings, and forms without one button %q, want a title of Griot, 1, 0", what, part[:min(3, len(part))])
	}
	if key := keyOfText.FindString(text); key != "" {
		b.t.Errorf("%s shows the key %s", what, key)
	}
	if strings.ContainsRune(text, utf8.RuneError) {
		b.t.Errorf("%s shows a broken character", what)
	}
}
