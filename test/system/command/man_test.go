package command_test

import (
	"os/exec"
	"strings"
	"testing"

	"example.com/griot/test/system/systemtest"
)

// groff reports no problem in the manual page.
func TestMan(t *testing.T) {
	t.Parallel()
	o := &systemtest.Terminal{T: t, Dir: t.TempDir()}
	page := o.Run(0, "", "man")
	groff := exec.CommandContext(t.Context(), "groff", "-man", "-Tutf8", "-wall", "-P-c", "-P-b", "-P-o", "-P-u")
	groff.Stdin = strings.NewReader(page)
	var warnings strings.Builder
	groff.Stderr = &warnings
	out, err := groff.Output()
	if err != nil || warnings.Len() > 0 {
		t.Fatalf("%v\n%s", err, &warnings)
	}
	text := strings.Join(strings.Fields(strings.ReplaceAll(string(out), "‐", "-")), " ")
	for _, want := range []string{"EXIT STATUS", "--idempotency-key", "/etc/griot/griot.yaml"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not have %q:\n%.500s", want, text)
		}
	}
}
