package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"example.com/griot/cmd/griot/exit"
	"example.com/griot/gateway"
	messagingadmin "example.com/griot/messaging/admin"
)

// remotePairing is the pairing of a remote gateway's number.
type remotePairing struct {
	mu       sync.Mutex
	progress string // as JSON
	methods  []string
	canceled int
}

// set sets how far it is.
func (p *remotePairing) set(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.progress = fmt.Sprintf(format, args...)
}

// serve answers /pair.
func (p *remotePairing) serve(r *http.Request) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch r.Method {
	case http.MethodPost:
		var in struct{ Channel, From, Method string }
		if json.NewDecoder(r.Body).Decode(&in) != nil || in.Channel != "whatsapp" || in.From != "22370000099" {
			return `{}`
		}
		p.methods = append(p.methods, in.Method)
		p.progress = `{"state":"waiting","qr":"2@first"}`
		if in.Method == "code" {
			p.progress = `{"state":"waiting","code":"ABCD-EFGH"}`
		}
	case http.MethodDelete:
		p.canceled++
		p.progress = `{"state":"failed","reason":"cancelled"}`
	}
	return p.progress
}

// background runs a command of an operator; end waits until it has ended.
func (o *operator) background(args ...string) (cmd *exec.Cmd, stdout, stderr *safeBuffer, end func() int) {
	o.t.Helper()
	cmd = exec.Command(binary, append([]string{"admin"}, args...)...)
	stdout, stderr = &safeBuffer{}, &safeBuffer{}
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.Env = o.dir, stdout, stderr, append(environ(), o.env...)
	if err := cmd.Start(); err != nil {
		o.t.Fatal(err)
	}
	o.t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd, stdout, stderr, func() int {
		done := make(chan struct{})
		go func() { defer close(done); _ = cmd.Wait() }()
		select {
		case <-done:
		case <-time.After(20 * time.Second):
			o.t.Fatalf("%v does not end: %q, %q", args, stdout, stderr)
		}
		return cmd.ProcessState.ExitCode()
	}
}

// shows waits until a buffer has a text.
func (o *operator) shows(b *safeBuffer, text string) {
	o.t.Helper()
	eventually(o.t, 20*time.Second, func() error {
		if !strings.Contains(b.String(), text) {
			return fmt.Errorf("no %q in %q", text, b)
		}
		return nil
	})
}

// In a terminal each code takes the place of the one before, and is black on white.
func TestPairingSession_InATerminal(t *testing.T) {
	var out strings.Builder
	p := &pairingSession{o: &adminOptions{}, out: &out, terminal: true, color: true}
	show := func(now messagingadmin.Pairing) string {
		t.Helper()
		out.Reset()
		if err := p.show(now, nil); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	first := show(messagingadmin.Pairing{State: gateway.PairingWaiting, QR: "2@first", Address: "22370000099"})
	if !strings.HasPrefix(first, "On the phone that has +22370000099") || !strings.Contains(first, "\x1b[38;5;16;48;5;231m") {
		t.Errorf("the first code: %q", first)
	}
	for line := range strings.Lines(first) {
		if n := utf8.RuneCountInString(line); !strings.Contains(line, "\x1b") && n > 80 {
			t.Errorf("a terminal breaks %q", line)
		}
	}
	if again := show(messagingadmin.Pairing{State: gateway.PairingWaiting, QR: "2@first", Address: "22370000099"}); again != "" {
		t.Errorf("the same code again: %q", again)
	}
	if second := show(messagingadmin.Pairing{State: gateway.PairingWaiting, QR: "2@second", Address: "22370000099"}); !strings.HasPrefix(second, fmt.Sprintf("\x1b[%dA\x1b[JOn the phone", strings.Count(first, "\n"))) {
		t.Errorf("the second code begins with %.40q", second)
	}
	if last := show(messagingadmin.Pairing{State: gateway.PairingDone, Address: "22370000099"}); !strings.HasSuffix(last, "\x1b[J+22370000099 is linked.\n") {
		t.Errorf("the end: %q", last)
	}
}

// An operator links a number from the terminal; the owner is mailed, and the log has all of it but the codes.
func TestAdmin_PairsANumber(t *testing.T) {
	t.Parallel()
	r, port := startRelay(t)
	mine := newRemoteGateway(t, true)
	mine.pairs = &remotePairing{progress: `{"state":"none"}`}
	s := startServeWith(t, "sqlite:"+filepath.Join(t.TempDir(), "griot.db"), mailGateway(port)+mine.settings("mine", "whatsapp"))
	o := &operator{t: t, dir: s.cmd.Dir, env: s.cmd.Env}
	a := runJSON[messagingadmin.Account](o, "accounts", "create", "--name", "Boutique Awa", "--email", "awa@example.com", "--lang", "en")
	o.run("senders", "add", "--account", a.ID, "--channel", "email", "--address", "awa@boutique.example", "--gateway", "mail")
	number := runJSON[messagingadmin.Sender](o, "senders", "add", "--account", a.ID, "--channel", "whatsapp", "--address", "22370000099", "--gateway", "mine")
	o.mustFail("no such sender", "senders", "pair", "snd_none")

	_, out, errs, end := o.background("senders", "pair", number.ID)
	o.shows(out, "Scan this code; Ctrl-C cancels.\n\n█")
	first := out.String()
	if strings.Contains(first, "\x1b") {
		t.Errorf("control characters where no terminal is: %q", first)
	}
	mine.pairs.set(`{"state":"waiting","qr":"2@second","expiresAt":%q}`, time.Now().UTC().Format(time.RFC3339))
	eventually(t, 20*time.Second, func() error {
		if n := strings.Count(out.String(), "Scan this code"); n != 2 {
			return fmt.Errorf("%d codes are drawn, want 2", n)
		}
		return nil
	})
	mine.pairs.set(`{"state":"paired"}`)
	if code := end(); code != 0 || errs.String() != "" || !strings.HasSuffix(out.String(), "+22370000099 is linked.\n") {
		t.Errorf("exit %d, %q, %q", code, out, errs)
	}
	if text := r.text(t, 1); !strings.Contains(text, "+22370000099") || !strings.Contains(text, "whoever runs this service") {
		t.Errorf("the mail says %q", text)
	}

	cmd, out, errs, end := o.background("senders", "pair", number.ID, "--phone-code")
	o.shows(out, "    ABCD-EFGH\n")
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if code := end(); code != exit.CodeInterrupted || errs.String() != "griot: canceled: the number was not linked\n" || mine.pairs.canceled != 1 {
		t.Errorf("exit %d, %q, canceled %d times", code, errs, mine.pairs.canceled)
	}

	_, out, errs, end = o.background("senders", "pair", number.ID, "--json")
	o.shows(out, `"qr":"2@first"`)
	mine.pairs.set(`{"state":"failed","reason":"wrong_number"}`)
	if code := end(); code != 1 || !strings.Contains(errs.String(), "another number") || strings.Count(out.String(), "\n") != 2 {
		t.Errorf("exit %d, %q, %q", code, out, errs)
	}
	log := o.run("audit", "--account", a.ID, "--json", "--action", "sender.")
	for action, n := range map[string]int{"sender.pairing_started": 3, "sender.paired": 1, "sender.pairing_failed": 2} {
		if got := strings.Count(log, `"`+action+`"`); got != n {
			t.Errorf("%d lines of %s, want %d", got, action, n)
		}
	}
	for name, text := range map[string]string{"audit log": log, "server's log": s.out.String()} {
		if strings.Contains(text, "ABCD-EFGH") || strings.Contains(text, "2@") {
			t.Errorf("the %s has a code", name)
		}
	}
	if len(r.texts) != 1 {
		t.Errorf("%d mails", len(r.texts))
	}
}
