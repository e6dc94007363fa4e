package command_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/griot/internal/waittest"
	"example.com/griot/test/system/systemtest"
)

// batchRows returns the number of rows of the killed batch; make test-long has more.
func batchRows() int {
	if systemtest.IsLong() {
		return 100_000
	}
	return 5000
}

// A batch that is killed twice sends each row once, and reports this when it is run again.
// Rules: M178.
func TestCLI_BatchKilled(t *testing.T) {
	t.Parallel()
	n := batchRows()
	dir := t.TempDir()
	p := systemtest.StartDev(t, dir, "--phones", "file") // in memory, they only keep the newest messages
	o := p.At(p.Accounts.Unlimited.LiveKey)
	var rows strings.Builder
	rows.WriteString("to;name\n")
	for i := range n {
		fmt.Fprintf(&rows, "+2237%07d;Client %d\n", i, i)
	}
	if err := os.WriteFile(filepath.Join(o.Dir, "people.csv"), []byte(rows.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"batch", "people.csv", "--channel", "sms", "--message", "Bonjour {{name}}", "--yes", "--json"}
	sent := func() int {
		t.Helper()
		var key struct{ Usage struct{ MessagesUsed int } }
		if err := json.Unmarshal([]byte(o.Run(0, "", "whoami", "--json")), &key); err != nil {
			t.Fatal(err)
		}
		return key.Usage.MessagesUsed
	}
	for _, part := range []int{n / 4, n / 2} {
		cmd, out, errs := o.Command(args...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for want := n / 20; want <= part; want += n / 20 { // the time limit is for each step, not for the machine's speed
			waittest.Until(t, func() error {
				if got := sent(); got < want {
					return fmt.Errorf("%d of %d are sent: %s %s %w", got, want, out, errs, systemtest.ErrNotYet)
				}
				return nil
			})
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if got := sent(); got >= n {
			t.Fatalf("all %d were sent before the process was killed", got)
		}
	}
	before := sent()
	res := map[string]any{}
	if err := json.Unmarshal([]byte(o.Run(0, "", args...)), &res); err != nil {
		t.Fatal(err)
	}
	if res["accepted"] != float64(n) || res["failed"] != 0.0 || res["remaining"] != 0.0 || res["alreadySent"].(float64) < float64(before) || sent() != n {
		t.Errorf("got %v with %d sent before and %d after, want all %d, each once", res, before, sent(), n)
	}
	for i := range n {
		if i%max(1, n/300) != 0 { // the count shows that none is duplicated; a few samples show that they are the right ones
			continue
		}
		if got := p.Phone(fmt.Sprintf("2237%07d", i)); len(got) != 1 || got[0].Text != fmt.Sprintf("Bonjour Client %d", i) {
			t.Fatalf("phone %d has %+v, want one message", i, got)
		}
	}
	if again := o.RunJSON(0, "", args[:len(args)-1]...); again["alreadySent"] != float64(n) || sent() != n {
		t.Errorf("got %v with %d sent, want that nothing is sent again", again, sent())
	}
	if s := o.Run(0, "", "logs", "--limit", "1", "--metadata", "batch="+res["batch"].(string)); !strings.Contains(s, "Bonjour Client") {
		t.Errorf("got %s, want a message of the batch", s)
	}
}
