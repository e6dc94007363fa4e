package web_test

import (
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"

	"example.com/griot/test/system/browsertest"
)

const npmTime = time.Minute

// The oldest browsers that know modules know ES2017 and not much later: one word of a newer
// language, and the whole page is dead. What is for browsers without modules is older still.
func TestScripts_AreOfTheLanguageThatCheapPhonesKnow(t *testing.T) {
	t.Parallel()
	var args []string
	for name := range sources(t, "static/js/*.js", "static/js/*/*.js", "button/*.js") {
		args = append(args, name)
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
	ctx, cancel := context.WithTimeout(t.Context(), npmTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", append([]string{"-e", program, browsertest.NPMFile(t, "acorn/dist/acorn.js")}, args...)...)
	out, err := cmd.CombinedOutput()
	if got := strings.TrimSpace(string(out)); err != nil || len(args) < 20 || strings.Contains(got, "\n") || !strings.HasPrefix(got, "parsed ") {
		t.Errorf("%d scripts: %v\n%s", len(args), err, got)
	}
}
