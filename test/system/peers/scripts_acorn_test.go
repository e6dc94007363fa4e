package peers_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The oldest browsers with modules support ES2017 and little more. A single newer token
// breaks the whole page. Scripts for browsers without modules are in an even older version.
func TestScripts_AreOfTheLanguageThatCheapPhonesKnow(t *testing.T) {
	t.Parallel()
	var args []string
	for _, pattern := range []string{"static/js/*.js", "static/js/*/*.js", "button/*.js"} {
		names, err := filepath.Glob(filepath.Join(root, "web", pattern))
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: no files (%v)", pattern, err)
		}
		args = append(args, names...)
	}
	const program = `
const acorn = require(process.argv[1]);
for (const name of process.argv.slice(2)) {
  const old = name.endsWith("/old.js");
  try {
    acorn.parse(require("fs").readFileSync(name, "utf8"), old ? { ecmaVersion: 3 } : { ecmaVersion: 2017, sourceType: "module" });
  } catch (error) {
    console.log(name + ": " + error.message);
  }
}
console.log("parsed " + (process.argv.length - 2));`
	cmd := exec.CommandContext(bounded(t), "node", append([]string{"-e", program, npmPackage(t, "acorn/dist/acorn.js")}, args...)...)
	out, err := cmd.CombinedOutput()
	if got := strings.TrimSpace(string(out)); err != nil || len(args) < 20 || strings.Contains(got, "\n") || !strings.HasPrefix(got, "parsed ") {
		t.Errorf("%d scripts: %v\n%s", len(args), err, got)
	}
}
