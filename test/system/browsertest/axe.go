package browsertest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// Axe checks a tab's page against the rules of WCAG A and AA and axe-core's best
// practices. It fails the test for each violation, regardless of its impact.
func (b *Tab) Axe(what string) {
	b.t.Helper()
	rules, err := os.ReadFile(NPMFile(b.t, "axe-core/axe.min.js"))
	if err != nil {
		b.t.Fatal(err)
	}
	b.Do(chromedp.Evaluate[chromedp.Void](string(rules) + "; undefined"))
	const run = `axe.run(document, { resultTypes: ["violations"] }).then((r) => JSON.stringify(r.violations.map((v) =>
		v.id + " (" + v.impact + "): " + v.help + "\n" + v.nodes.map((n) => "    " + n.html.slice(0, 200) + " " + n.any.map((a) => a.message).join("; ")).join("\n"))))`
	found, err := chromedp.Run(b.Ctx, chromedp.Evaluate[string](run, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatal(err)
	}
	var violations []string
	if err := json.Unmarshal([]byte(found), &violations); err != nil {
		b.t.Fatal(err)
	}
	for _, v := range violations {
		b.t.Errorf("%s: %s", what, v)
	}
}

// Fits checks that the page isn't wider than its window.
func (b *Tab) Fits(what string) {
	b.t.Helper()
	width, err := chromedp.Run(b.Ctx, chromedp.Evaluate[int64]("document.documentElement.scrollWidth - innerWidth"))
	if err != nil {
		b.t.Fatal(err)
	}
	if width > 0 {
		b.t.Errorf("%s: the page is %d pixels wider than its window", what, width)
	}
}

// NPMFile returns the path of a file of an npm package that make setup installs.
func NPMFile(t *testing.T, name string) string {
	t.Helper()
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for !exists(filepath.Join(root, "go.mod")) && root != filepath.Dir(root) {
		root = filepath.Dir(root)
	}
	path := filepath.Join(root, "test/npm/node_modules", name)
	if !exists(path) {
		t.Fatalf("the npm packages are not there: run make setup (no %s)", path)
	}
	return path
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
