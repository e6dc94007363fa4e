package command_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/griot/cmd/griot/exit"
	"example.com/griot/internal/waittest"
	messagingverbs "example.com/griot/messaging/verbs"
	"example.com/griot/test/system/systemtest"
)

// An operator links a number from the terminal. The owner gets an email, and the log has all of it except the codes.
func TestAdmin_PairsANumber(t *testing.T) {
	t.Parallel()
	r, port := systemtest.StartRelay(t)
	mine := systemtest.NewRemoteGateway(t, true)
	mine.Pairs = &systemtest.RemotePairing{Progress: `{"state":"none"}`}
	s := systemtest.StartServeWith(t, "sqlite:"+filepath.Join(t.TempDir(), "griot.db"), systemtest.MailGateway(port)+mine.Settings("mine", "whatsapp"))
	o := &systemtest.Operator{T: t, Dir: s.Cmd.Dir, Env: s.Cmd.Env}
	a := systemtest.RunJSON[messagingverbs.Account](o, "accounts", "create", "--name", "Boutique Awa", "--email", "awa@example.com", "--lang", "en")
	o.Run("senders", "add", "--account", a.ID, "--channel", "email", "--address", "awa@boutique.example", "--gateway", "mail")
	number := systemtest.RunJSON[messagingverbs.Sender](o, "senders", "add", "--account", a.ID, "--channel", "whatsapp", "--address", "22370000099", "--gateway", "mine")
	o.MustFail("The sender doesn't exist", "senders", "pair", "snd_none")

	_, out, errs, end := o.Background("senders", "pair", number.ID)
	o.Shows(out, "Scan this code. Press Ctrl-C to cancel.\n\n█")
	first := out.String()
	if strings.Contains(first, "\x1b") {
		t.Errorf("control characters where no terminal is: %q", first)
	}
	mine.Pairs.Set(`{"state":"waiting","qr":"2@second","expiresAt":%q}`, time.Now().UTC().Format(time.RFC3339))
	waittest.Until(t, func() error {
		if n := strings.Count(out.String(), "Scan this code"); n != 2 {
			return fmt.Errorf("%d codes are drawn, want 2", n)
		}
		return nil
	})
	mine.Pairs.Set(`{"state":"paired"}`)
	if code := end(); code != 0 || errs.String() != "" || !strings.HasSuffix(out.String(), "+22370000099 is linked.\n") {
		t.Errorf("exit %d, %q, %q", code, out, errs)
	}
	if text := r.Text(t, 1); !strings.Contains(text, "+22370000099") || !strings.Contains(text, "the operator of this service") {
		t.Errorf("the mail says %q", text)
	}

	cmd, out, errs, end := o.Background("senders", "pair", number.ID, "--phone-code")
	o.Shows(out, "    ABCD-EFGH\n")
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if code := end(); code != exit.CodeInterrupted || errs.String() != "griot: canceled: the number was not linked\n" || mine.Pairs.Canceled != 1 {
		t.Errorf("exit %d, %q, canceled %d times", code, errs, mine.Pairs.Canceled)
	}

	_, out, errs, end = o.Background("senders", "pair", number.ID, "--json")
	o.Shows(out, `"qr":"2@first"`)
	mine.Pairs.Set(`{"state":"failed","reason":"wrong_number"}`)
	if code := end(); code != 1 || !strings.Contains(errs.String(), "another number") || strings.Count(out.String(), "\n") != 2 {
		t.Errorf("exit %d, %q, %q", code, out, errs)
	}
	log := o.Run("audit", "--account", a.ID, "--json", "--action", "sender.")
	for action, n := range map[string]int{"sender.pairing_started": 3, "sender.paired": 1, "sender.pairing_failed": 2} {
		if got := strings.Count(log, `"`+action+`"`); got != n {
			t.Errorf("%d lines of %s, want %d", got, action, n)
		}
	}
	for name, text := range map[string]string{"audit log": log, "server's log": s.Out.String()} {
		if strings.Contains(text, "ABCD-EFGH") || strings.Contains(text, "2@") {
			t.Errorf("the %s has a code", name)
		}
	}
	if len(r.Texts) != 1 {
		t.Errorf("%d mails", len(r.Texts))
	}
}
