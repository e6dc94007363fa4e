package command_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/griot/cmd/griot/exit"
	"example.com/griot/internal/waittest"
	"example.com/griot/test/system/systemtest"
)

func TestCLI_Metadata(t *testing.T) {
	p := systemtest.StartDev(t, t.TempDir(), "--phones", "memory")
	o := p.At(p.Accounts.Business.LiveKey)
	other := messageIn(t, o.Run(0, "", "send", "--to", "+22376000001", "--channel", "sms", "x"))
	noted := messageIn(t, o.Run(0, "", "send", "--to", "+22376000002", "--channel", "sms", "--metadata", "order=42", "--metadata", "shop=", "x"))
	// The columns are wider after delivery.
	if s := o.Run(0, "", "status", noted); !regexp.MustCompile(`(?m)^to +\+22376000002$(.|\n)*^metadata +order=42$`).MatchString(s) {
		t.Errorf("got %s, want the number and the metadata", s)
	}
	if s := o.Run(0, "", "logs", "--json", "--metadata", "order=42"); !strings.Contains(s, `"source":"cli"`) {
		t.Errorf("got %s, want the source cli", s)
	}
	if s := o.Run(0, "", "logs", "--metadata", "order=42"); !strings.Contains(s, noted) || strings.Contains(s, other) {
		t.Errorf("got %s, want %s and not %s", s, noted, other)
	}
}

// Rules: M178.
func TestCLI_SendAndStatus(t *testing.T) {
	dir := t.TempDir()
	p := systemtest.StartDev(t, dir, "--phones", "memory")
	o := p.At(p.Accounts.Business.LiveKey)

	out := o.Run(0, "", "send", "--to", "+22376000001", "--channel", "whatsapp", "Bonjour Awa !")
	id := messageIn(t, out)
	if !strings.Contains(out, "status   SENT\n") || !strings.Contains(out, "used     1 of 50000 today\n") {
		t.Errorf("got %s, want SENT, 1 of 50000 used", out)
	}
	if got := p.Phone("22376000001"); len(got) != 1 || got[0].Text != "Bonjour Awa !" || got[0].Reference != id {
		t.Fatalf("the phone has %+v", got)
	}
	waittest.Until(t, func() error {
		if s := o.Run(0, "", "status", id); !strings.Contains(s, "status     DELIVERED\n") || !regexp.MustCompile(`(?m)^AT +STATUS +CHANNEL +WHY\n.* QUEUED +whatsapp\n`).MatchString(s) {
			return fmt.Errorf("%s: %w", s, systemtest.ErrNotYet)
		}
		return nil
	})

	// From standard input; another directory's dev; the parts of an email; a preset with a code that is no argument.
	piped := &systemtest.Terminal{T: t, Dir: t.TempDir(), In: "Ligne un\nligne deux\n"}
	html := filepath.Join(piped.Dir, "mail.html")
	if err := os.WriteFile(html, []byte("<p>Bonjour</p>"), 0o600); err != nil {
		t.Fatal(err)
	}
	mail := piped.RunJSON(0, "", "send", "--data", dir, "--to", "awa@example.com", "--subject", "Objet", "--html-file", html, "--wait", "-")
	if mail["status"] != "DELIVERED" || mail["channel"] != "email" {
		t.Errorf("got %v, want DELIVERED by email", mail)
	}
	if got := p.Phone("awa@example.com"); len(got) != 1 || got[0].Text != "Ligne un\nligne deux" || got[0].HTML != "<p>Bonjour</p>" || got[0].Subject != "Objet" {
		t.Errorf("the mailbox has %+v", got)
	}
	piped.In = "482913\n"
	code := piped.RunJSON(0, "", "send", "--data", dir, "--to", "+22376000002", "--channel", "sms", "--preset", "otp", "--var", "app=Boutique", "--var", "code=-", "--var", "locale=en")
	if got := p.Phone("22376000002"); len(got) != 1 || !strings.Contains(got[0].Text, "482913 is your Boutique") || code["status"] != "SENT" {
		t.Errorf("%v; the phone has %+v", code, got)
	}

	// An own key, another sender, the sandbox, and a time.
	for range 2 {
		again := o.RunJSON(0, "", "send", "--to", "+22376000002", "--channel", "whatsapp", "--idempotency-key", "cli 1", "--sender", p.Accounts.Business.Senders[1].ID, "x")
		if !strings.HasPrefix(again["messageId"].(string), "msg_") {
			t.Errorf("got %v, want a message's id", again)
		}
	}
	if got := p.Phone("22376000002"); len(got) != 2 || got[1].From != p.Accounts.Business.Senders[1].Address {
		t.Errorf("the phone has %+v", got)
	}
	if s := o.Run(0, "", "send", "--to", "+22376000002", "--channel", "whatsapp", "--idempotency-key", "cli 1", "another"); !strings.Contains(s, "already sent") || !strings.Contains(s, "different content") {
		t.Errorf("got %s, want that another message was sent before under this key", s)
	}
	if s := o.RunJSON(0, "", "send", "--to", "\u202a+223 (0)76\u201100\u201100\u201102\u202c", "--channel", "sms", "--sandbox", "x"); s["to"] != "+22376000002" || s["status"] != "SANDBOX" {
		t.Errorf("got %v, want SANDBOX", s)
	}
	later := o.RunJSON(0, "", "send", "--to", "+22376000002", "--channel", "sms", "--schedule", "2h", "--expires", "3h", "x")
	if later["status"] != "SCHEDULED" {
		t.Errorf("got %v, want SCHEDULED", later)
	}
	day := time.Now().AddDate(0, 1, 0).Format(time.DateOnly)
	if _, note, code := o.Try("send", "--to", "+22376000002", "--channel", "sms", "--schedule", day+"T08:00", "--dry-run", "--json", "x"); code != 0 || !strings.HasPrefix(note, "griot: note: --schedule is "+day+" 08:00:00.000 ") {
		t.Errorf("a time without a zone: exit %d, %q", code, note)
	}
	o.Run(exit.CodePending, "still in progress after 200ms", "status", later["messageId"].(string), "--wait=200ms")

	// The list, oldest first, without what could harm a terminal.
	o.Run(0, "", "send", "--to", "+22376000001", "--channel", "sms", "--sandbox", "\x1b[2Jrouge\nbleu")
	s := o.Run(0, "", "logs", "--limit", "3")
	lines := strings.Split(strings.TrimSpace(s), "\n")
	if len(lines) != 4 || !strings.HasPrefix(lines[0], "AT ") || !strings.HasSuffix(lines[3], "�[2Jrouge bleu") || strings.Contains(s, "\x1b") {
		t.Errorf("got %s, want a head and three lines, without control characters", s)
	}
	if all := strings.Split(strings.TrimSpace(o.Run(0, "", "logs", "--json", "--limit", "500")), "\n"); len(all) != 7 || messageIn(t, all[0]) != id || strings.Contains(strings.Join(all, ""), "482913") {
		t.Errorf("%d lines: %s", len(all), all)
	}
	if s := o.Run(0, "", "logs", "--json", "--status", "scheduled", "--channel", "sms", "--to", "+22376000002", "--since", "1h"); strings.Count(s, "\n") != 1 || !strings.Contains(s, "SCHEDULED") {
		t.Errorf("got %s, want the scheduled message alone", s)
	}
	if strings.Contains(p.Out.String(), "482913") {
		t.Error("the log holds a code")
	}
}

func TestCLI_WaitsUntilThePhoneHasIt(t *testing.T) {
	p := systemtest.StartDev(t, t.TempDir(), "--phones", "memory")
	o := p.At(p.Accounts.Business.LiveKey)
	p.Call("PUT", p.BaseURL+"/dev/phones/22376000001", `{"online":false}`)
	if s := o.RunJSON(0, "", "send", "--to", "+22376000001", "--channel", "sms", "--wait=100ms", "x"); s["status"] != "SENT" { // the phone is offline, so there is no receipt
		t.Errorf("got %v, want SENT", s)
	}
	cmd, out, errs := o.Command("send", "--to", "+22376000001", "--channel", "sms", "--idempotency-key", "wait", "--wait=30s", "--json", "y")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waittest.Until(t, func() error {
		if s := o.Run(0, "", "logs", "--json", "--status", "SENT"); strings.Count(s, "\n") < 2 {
			return fmt.Errorf("%s: %w", s, systemtest.ErrNotYet)
		}
		return nil
	})
	p.Call("PUT", p.BaseURL+"/dev/phones/22376000001", `{"online":true}`)
	if err := systemtest.WaitExit(cmd); err != nil || !strings.Contains(out.String(), `"status": "DELIVERED"`) {
		t.Errorf("%v: %s %s", err, out, errs)
	}
}

// The default is the service's choice. The chosen route is in the status, the attempts, and the statistics.
func TestCLI_AutoHops(t *testing.T) {
	p := systemtest.StartDev(t, t.TempDir(), "--phones", "memory")
	o := p.At(p.Accounts.Business.LiveKey)
	dry := o.Run(0, "", "send", "--to", "+22376000001", "--dry-run", "Bonjour")
	if !strings.Contains(dry, "route       whatsapp from +22370000001\nthen        whatsapp from +22370000002\nthen        sms from +22370000003\n") || !strings.Contains(dry, "as SMS      1, GSM-7\nused        0 of 50000 today\n") || len(p.Phone("22376000001")) != 0 {
		t.Errorf("got %s, want three routes, one SMS, and nothing sent or used", dry)
	}
	p.Call("PUT", p.BaseURL+"/dev/faults/whatsapp", `{"outcome":"unreachable","count":1}`)
	sent := o.RunJSON(0, "", "send", "--to", "+22376000001", "--wait", "Bonjour")
	if sent["channel"] != "sms" || sent["status"] != "DELIVERED" || sent["requestedChannel"] != "auto" {
		t.Errorf("got %v, want DELIVERED by sms, asked for as auto", sent)
	}
	id, _ := sent["messageId"].(string)
	if s := o.Run(0, "", "status", id); !strings.Contains(s, "sms  (requested: auto)") || !strings.Contains(s, "virtual_unreachable") {
		t.Errorf("got %s, want SMS, asked for as auto, after virtual_unreachable", s)
	}
	r := p.Call("GET", p.BaseURL+"/dev/attempts/"+id, "")
	var tried struct {
		Attempts []struct{ Reference, Channel, Outcome string }
	}
	if err := json.Unmarshal([]byte(r.Raw), &tried); err != nil || len(tried.Attempts) < 2 {
		t.Fatalf("%v %s", err, r.Raw)
	}
	first, last := tried.Attempts[0], tried.Attempts[len(tried.Attempts)-1]
	if first.Reference != id || first.Outcome != "unreachable" || last.Channel != "sms" || !strings.HasPrefix(last.Reference, id+"-") {
		t.Errorf("%s", r.Raw)
	}
	o.Run(0, "", "send", "--to", "+22376000002", "--wait", "Bonjour")
	if r := p.Call("GET", p.BaseURL+"/api/svc-analytics", "", "X-API-Key: "+p.Accounts.Business.LiveKey); r.Body["fallbackRate"] != 0.5 || r.Body["deliveryRate"] != 1.0 {
		t.Errorf("got %d %s, want the rates 0.5 and 1", r.Status, r.Raw)
	}
	groups := p.Call("GET", p.BaseURL+"/api/partner/whatsapp/groups", "", "X-API-Key: "+p.Accounts.Business.LiveKey)
	if want := `{"success":true,"groups":[{"id":"120363000000000001@g.us","name":"Livraisons","participants":4,"isAdmin":true}],"count":1}`; strings.TrimSpace(groups.Raw) != want {
		t.Errorf("%s", groups.Raw)
	}
	o.Run(0, "", "send", "--to", "+22376000001", "--channel", "whatsapp", "--group", "120363000000000001@g.us", "--wait", "Réunion")
	if got := p.Phone("120363000000000001@g.us"); len(got) != 1 || got[0].Text != "Réunion" {
		t.Errorf("the group has %+v", got)
	}
}

// Rules: M178.
func TestCLI_LogsWatch(t *testing.T) {
	t.Parallel()
	p := systemtest.StartDev(t, t.TempDir(), "--phones", "memory")
	o := p.At(p.Accounts.Business.LiveKey)
	send := func(text string) string {
		t.Helper()
		return p.Send(p.Accounts.Business.LiveKey, `{"channel":"sms","to":"22376000001","message":"`+text+`"}`).Text("messageId")
	}
	old, first := send("old"), send("first")
	p.Call("PUT", p.BaseURL+"/dev/phones/22376000001", `{"online":false}`)
	cmd, out, errs := o.Command("logs", "--watch", "--json", "--limit", "1")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill() }()
	shows := func(id, status string) {
		t.Helper()
		waittest.Until(t, func() error {
			for line := range strings.Lines(out.String()) {
				if strings.Contains(line, id) && strings.Contains(line, `"`+status+`"`) {
					return nil
				}
			}
			return fmt.Errorf("no %s %s in %s%s: %w", id, status, out, errs, systemtest.ErrNotYet)
		})
	}
	shows(first, "DELIVERED")
	next := send("next")
	shows(next, "SENT")
	p.Call("PUT", p.BaseURL+"/dev/phones/22376000001", `{"online":true}`)
	shows(next, "DELIVERED")
	if strings.Contains(out.String(), old) {
		t.Errorf("--limit 1 shows an older one: %s", out)
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := systemtest.WaitExit(cmd); err != nil || errs.String() != "" {
		t.Errorf("Ctrl-C: %v, %s", err, errs)
	}
	if n := strings.Count(out.String(), "\n"); n != 3 && n != 4 { // the first might have been seen before its receipt
		t.Errorf("%d lines: %s", n, out)
	}
}
