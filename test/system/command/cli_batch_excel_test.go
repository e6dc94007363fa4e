package command_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/griot/test/system/systemtest"
)

// The preview of a CSV file from a French Excel shows its encoding with one of its cells, and the messages arrive with
// the correct letters.
func TestCLI_BatchOfExcel(t *testing.T) {
	t.Parallel()
	p := systemtest.StartDev(t, t.TempDir(), "--phones", "memory")
	o := p.At(p.Accounts.Business.LiveKey)
	systemtest.Must(t, os.WriteFile(filepath.Join(o.Dir, "clients.csv"), []byte("sep=;\r\nto;pr\xe9nom\r\n+22376000001;Awa\r\n+22376000002;Zo\xe9\r\n"), 0o600))
	args := []string{"batch", "clients.csv", "--channel", "sms", "--message", "Bonjour {{prénom}}"}

	shown := strings.Join(strings.Fields(o.Run(0, "", append(args, "--dry-run")...)), " ")
	for _, want := range []string{"encoding Windows-1252, not UTF-8", "reads line 4, prénom: Zoé"} {
		if !strings.Contains(shown, want) {
			t.Errorf("the preview is %q, want %q", shown, want)
		}
	}
	plan := o.RunJSON(0, "", append(args, "--dry-run")...)
	sample, _ := plan["sample"].(map[string]any)
	if plan["encoding"] != "Windows-1252" || sample["line"] != 4.0 || sample["column"] != "prénom" || sample["text"] != "Zoé" {
		t.Errorf("the plan is %v", plan)
	}
	if plan := o.RunJSON(0, "", append(args, "--sensitive", "--dry-run")...); plan["sample"] != nil {
		t.Errorf("the plan of sensitive messages shows %v", plan["sample"])
	}
	if res := o.RunJSON(0, "", append(args, "--yes")...); res["accepted"] != 2.0 || res["encoding"] != "Windows-1252" {
		t.Errorf("the result is %v", res)
	}
	if got := p.Phone("22376000002"); len(got) != 1 || got[0].Text != "Bonjour Zoé" {
		t.Errorf("the phone has %+v", got)
	}
}
