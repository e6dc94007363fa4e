package command_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"example.com/griot/cmd/griot/exit"
	"example.com/griot/test/system/systemtest"
)

// A new user, at a terminal with 80 columns and in scripts: configure, whoami, codes, the inbox, groups, pages,
// completion.
// Rules: M178.
func TestCLI_NewUser(t *testing.T) {
	t.Parallel()
	p := systemtest.StartWithConversation(t)
	key := p.Accounts.Business.LiveKey
	o := &systemtest.Terminal{T: t, Dir: t.TempDir()}
	o.Env = []string{"NO_COLOR=1"}

	// A key is stored if it works, and is never shown.
	o.In = "svc_live_wrong\n"
	o.Run(1, "nothing was stored", "configure", "--url", p.BaseURL)
	s := o.AtTerminal(nil, "configure")
	s.Answer("URL of the service [http://127.0.0.1:8080]:", p.BaseURL)
	s.Answer("API key (not shown):", key)
	if shown := s.End(); !strings.Contains(shown, "Demo Business") || strings.Contains(shown, key) {
		t.Errorf("the terminal shows %q, want the account and not the key", shown)
	}
	stored := filepath.Join(o.Dir, ".config/griot/profiles/default.json")
	if info, err := os.Stat(stored); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%s: got %v %v, want mode 0600", stored, info, err)
	}
	o.In = p.Accounts.Free.LiveKey + "\n"
	o.Run(0, "", "configure", "--profile", "free", "--url", p.BaseURL)
	if s := o.Run(0, "", "configure", "--list"); strings.Count(s, p.BaseURL) != 2 || strings.Contains(s, "svc_") {
		t.Errorf("got %q, want two profiles without keys", s)
	}
	if s := o.Run(0, "", "whoami"); !strings.Contains(s, "from     the profile default\n") || !strings.Contains(s, "key      live\n") {
		t.Errorf("got %q, want the live key of the profile default", s)
	}
	if s := o.RunJSON(0, "", "whoami", "--profile", "free"); s["kind"] != "live" || s["account"].(map[string]any)["id"] != p.Accounts.Free.ID {
		t.Errorf("got %v, want the account of the profile free", s)
	}
	o.Run(exit.CodeUsage, "is only for", "whoami", "--url", "http://127.0.0.1:9")

	// Codes: requested, and verified without an argument.
	challenge := o.RunJSON(0, "", "otp", "send", "--to", "76000002", "--country", "ML", "--channel", "sms", "--app", "Boutique", "--locale", "en")["challengeId"].(string)
	code := regexp.MustCompile(`\d{6}`).FindString(p.Phone("22376000002")[0].Text)
	o.In = "000000" + code[:1]
	o.Run(1, "invalid_code", "otp", "verify", challenge)
	s = o.AtTerminal(nil, "otp", "verify", challenge)
	s.Answer("Code:", code)
	if shown := s.End(); !strings.HasSuffix(shown, "valid\n") || strings.Contains(shown, code) {
		t.Errorf("the terminal shows %q, want that the code is valid", shown)
	}

	// The inbox.
	list := o.Run(0, "", "inbox")
	conversation := regexp.MustCompile(`cnv_[0-9A-Z]{26}`).FindString(list)
	if !strings.Contains(list, "+22376000001 Awa") || !strings.Contains(list, "Où est ma commande ?") {
		t.Fatalf("got %q, want Awa's question", list)
	}
	o.In = "Elle arrive.\n"
	o.Run(0, "", "inbox", "reply", conversation, "-")
	if s := o.Run(0, "", "inbox", "show", conversation, "--mark-read"); !regexp.MustCompile(`(?s)contact +Où est ma commande \?.*Elle arrive\.\n`).MatchString(s) {
		t.Errorf("got %q, want the question and then the answer", s)
	}
	if s := o.RunJSON(0, "", "inbox", "search", "arrive"); s["message"].(map[string]any)["content"] != "Elle arrive." {
		t.Errorf("got %v, want the answer", s)
	}
	if s := o.Run(0, "", "groups"); !strings.Contains(s, "120363000000000001@g.us  4       yes    Livraisons\n") {
		t.Errorf("got %q, want the group", s)
	}
	if s := o.Run(0, "", "open", "docs"); s != p.BaseURL+"/docs\n" {
		t.Errorf("got %q, want the address of the documentation", s)
	}
	if e := failure(o, exit.CodeUsage, "open", "garden"); e["code"] != "usage" {
		t.Errorf("got %v, want the code usage", e)
	}
	if e := failure(o, 1, "status", "msg_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D"); e["code"] != "message_not_found" || e["docsUrl"] != p.BaseURL+"/docs/errors#message_not_found" {
		t.Errorf("got %v, want the service's error with its docsUrl", e)
	}

	// On the terminal, no line is too wide, and statuses have colors.
	o.Run(0, "", "send", "--to", "+22376000002", "--channel", "sms", "--wait", strings.Repeat("Bonjour Awa, ", 11))
	shown := o.AtTerminal([]string{"NO_COLOR="}, "logs").End()
	if !strings.Contains(shown, "\x1b[32mDELIVERED\x1b[0m") || !regexp.MustCompile(`AT \(\w+\)`).MatchString(shown) {
		t.Errorf("the terminal shows %q, want colors and the time zone", shown)
	}
	for line := range strings.Lines(regexp.MustCompile(`\x1b\[\d*m`).ReplaceAllString(shown, "")) {
		if utf8.RuneCountInString(strings.TrimRight(line, "\n")) > 80 {
			t.Errorf("wider than the terminal: %q", line)
		}
	}
	if shown := o.AtTerminal(nil, "logs").End(); strings.Contains(shown, "\x1b") {
		t.Errorf("with NO_COLOR the terminal shows %q", shown)
	}

	// Completion.
	for _, tt := range []struct{ typed, want string }{
		{"send --channel ", "whatsapp\nsms\nemail\nauto\n"},
		{"send --preset ord", "order_confirmed\t"},
		{"send --sender ", p.Accounts.Business.Senders[0].ID + "\twhatsapp +22370000001\n"},
		{"logs --status DEL", "DELIVERED\n"},
		{"whoami --profile ", "default\nfree\n"},
		{"bat", "batch\t"},
	} {
		words := strings.Split(tt.typed, " ")
		if s, _, _ := o.Try(append([]string{"__complete"}, words...)...); !strings.HasPrefix(s, tt.want) && !strings.Contains(s, "\n"+tt.want) {
			t.Errorf("%q is completed by %q, want %q", tt.typed, s, tt.want)
		}
	}
	script := exec.CommandContext(t.Context(), "bash", "-n")
	script.Stdin = strings.NewReader(o.Run(0, "", "completion", "bash"))
	if out, err := script.CombinedOutput(); err != nil {
		t.Errorf("bash does not read the script: %v %s", err, out)
	}
	for shell, want := range map[string]string{"zsh": "#compdef griot", "fish": "complete -c griot"} {
		if s := o.Run(0, "", "completion", shell); !strings.Contains(s, want) {
			t.Errorf("the script for %s has no %q", shell, want)
		}
	}

	batchStory(t, p, o)
}

// batchStory covers a file with errors, its preview, the question on the terminal, a refusal, and the day's quota.
func batchStory(t *testing.T, p *systemtest.Dev, o *systemtest.Terminal) {
	t.Helper()
	path := filepath.Join(o.Dir, "people.csv")
	write := func(rows ...string) {
		t.Helper()
		if err := os.WriteFile(path, []byte("to;name\n"+strings.Join(rows, "\n")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	batch := []string{"batch", path, "--channel", "sms", "--message", "Bonjour {{name}}"}
	write("+22376000005;Awa", "76000006;Moussa", "+22376000007")
	_, errs, code := o.Try(append(batch, "--yes")...)
	if code != exit.CodeUsage || strings.Count(errs, "\n") != 3 || !strings.Contains(errs, "line 3: \"to\" has no +") || !strings.Contains(errs, "line 4: it has 1 cells") || len(p.Phone("22376000005")) > 0 {
		t.Errorf("got %d %q, want both rows and nothing sent", code, errs)
	}
	write("+22376000005;Awa", "+22376000006;Moussa")
	if plan := o.RunJSON(0, "", append(batch, "--dry-run")...); plan["rows"] != 2.0 || plan["smsParts"] != 2.0 || plan["limit"] != 50000.0 || len(p.Phone("22376000005")) > 0 {
		t.Errorf("got %v, want the costs of two SMS and nothing sent", plan)
	}
	o.In = ""
	o.Run(exit.CodeUsage, "use --yes", batch...)
	s := o.AtTerminal(nil, batch...)
	s.Answer("Send 2 rows? [yes/no]", "yes")
	if shown := s.End(); !strings.Contains(shown, "[####################] 2 of 2") || !strings.Contains(shown, "accepted  2 of 2\n") || len(p.Phone("22376000006")) != 1 {
		t.Errorf("the terminal shows %q, want the bar and two that are accepted", shown)
	}
	p.Call("POST", p.BaseURL+"/api/opt-outs", `{"channel":"sms","address":"+22376000006"}`, "X-API-Key: "+p.Accounts.Business.LiveKey)
	batch[len(batch)-1] = "Bonsoir {{name}}"
	if s, errs, code := o.Try(append(batch, "--yes")...); code != exit.CodeFailed || !strings.Contains(s, "accepted  1 of 2\nfailed    1:") || !strings.Contains(errs, "1 row failed") {
		t.Errorf("got %d %q %q, want one that failed", code, s, errs)
	}
	if b, err := os.ReadFile(strings.TrimSuffix(path, ".csv") + ".failed.csv"); err != nil || !strings.Contains(string(b), "+22376000006;Moussa;3;recipient_opted_out;") {
		t.Errorf("the report is %q, %v; want Moussa's row with the reason", b, err)
	}

	quota := o.RunJSON(0, "", "whoami", "--profile", "free")["usage"].(map[string]any)["remaining"].(float64)
	var rows []string
	for i := range int(quota) + 1 {
		rows = append(rows, fmt.Sprintf("+223770%05d;Client", i))
	}
	write(rows...)
	res := map[string]any{}
	out, errs, code := o.Try(append(batch, "--yes", "--profile", "free", "--json")...)
	failure := map[string]any{}
	if err := json.Unmarshal([]byte(errs), &failure); err != nil || json.Unmarshal([]byte(out), &res) != nil || code != exit.CodePending {
		t.Fatalf("got %d %q %q, want the code of what is not over and JSON", code, out, errs)
	}
	if text, _ := failure["message"].(string); res["accepted"] != quota || res["remaining"] != 1.0 || failure["code"] != "quota_exceeded" || !strings.Contains(text, fmt.Sprintf("1 row of %d remain", len(rows))) || !strings.Contains(text, time.Now().UTC().AddDate(0, 0, 1).Local().Format("2006-01")) {
		t.Errorf("got %v %v, want that the quota is used up, and when to go on", res, failure)
	}
	o.Run(1, "; retry in ", "send", "--profile", "free", "--to", "+22376000001", "--channel", "sms", "x")
}

// failure runs a command with --json that must end with a code, and decodes its error.
func failure(o *systemtest.Terminal, code int, args ...string) map[string]any {
	o.T.Helper()
	_, errs, got := o.Try(append(args, "--json")...)
	var e map[string]any
	if err := json.Unmarshal([]byte(errs), &e); err != nil || got != code {
		o.T.Errorf("%v: exit %d, %q; want %d and an object", args, got, errs, code)
	}
	return e
}
