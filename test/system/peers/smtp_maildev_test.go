package peers_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/smtp"
	"example.com/griot/test/system/freeport"
)

// Another implementation of SMTP and of email parses the driver's messages.
func TestMaildev(t *testing.T) {
	smtpPort, web := startMaildev(t)
	s := gatewaytest.Open[gateway.Sender](t, smtp.Open, gatewaytest.NewEnvironment(), fmt.Appendf(nil, `{"host":"127.0.0.1","port":%d,"tls":"none"}`, smtpPort))
	var sent []*gateway.Outbound
	ids := map[string]string{}
	for i, body := range []struct{ text, html string }{
		{"Élève Aïssata Koné,\n\n.\nvotre reçu n° 7 est prêt : 12 500 F CFA.\nÀ bientôt à Ségou — l'équipe ☀", "<p>Élève <b>Aïssata Koné</b>,</p>\n<p>votre reçu n°&nbsp;7 est prêt&nbsp;: 12&#8239;500 F&nbsp;CFA ☀</p>"},
		{"Texte seul, à lire tel quel", ""},
		{"", "<p>HTML seul, à lire tel quel</p>"},
	} {
		out := mail()
		out.Ref = fmt.Sprintf("msg_01K9ZZZZZZZZZZZZZZZZZZZZZ%d", i)
		out.DisplayName, out.Subject = "École du Fleuve", fmt.Sprintf("Reçu n° %d : l'été à Ségou, où tout est prêt pour les élèves et leurs familles", i)
		out.Text, out.HTML = body.text, body.html
		ack, err := s.Send(t.Context(), out)
		if err != nil {
			t.Fatal(err)
		}
		ids[out.Ref] = ack.ProviderID
		sent = append(sent, out)
	}
	got := mailsAt(t, web, len(sent))
	for i, out := range sent {
		m := got[i]
		if strings.TrimSpace(m.Text) != out.Text || strings.TrimSpace(m.HTML) != out.HTML || m.Subject != out.Subject {
			t.Errorf("sent %+v\n got %+v", *out, m)
		}
		if len(m.From) != 1 || m.From[0].Address != out.From || m.From[0].Name != out.DisplayName || len(m.To) != 1 || m.To[0].Address != out.To {
			t.Errorf("from %+v to %+v", m.From, m.To)
		}
		if m.Envelope.From.Address != out.From || len(m.Envelope.To) != 1 || m.Envelope.To[0].Address != out.To {
			t.Errorf("envelope %+v", m.Envelope)
		}
		if m.Headers["message-id"] != ids[out.Ref] || m.Headers["user-agent"] != nil || m.Headers["x-mailer"] != nil {
			t.Errorf("headers %v, want Message-ID %s and no advertising", m.Headers, ids[out.Ref])
		}
	}
}

type mailbox struct{ Address, Name string }

type maildevMail struct {
	Text, HTML, Subject string
	From, To            []mailbox
	Headers             map[string]any
	Envelope            struct {
		From mailbox
		To   []mailbox
	}
}

// mailsAt waits until maildev has parsed n emails, and returns them sorted by subject.
func mailsAt(t *testing.T, web string, n int) []maildevMail {
	t.Helper()
	ctx := bounded(t)
	for {
		mails := fetch(t, ctx, web)
		if len(mails) == n {
			slices.SortFunc(mails, func(a, b maildevMail) int { return strings.Compare(a.Subject, b.Subject) })
			return mails
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			t.Fatalf("%d mails, want %d: %+v", len(mails), n, mails)
		}
	}
}

func fetch(t *testing.T, ctx context.Context, web string) []maildevMail {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, web+"/email", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var mails []maildevMail
	if err := json.NewDecoder(response.Body).Decode(&mails); err != nil {
		t.Fatal(err)
	}
	return mails
}

// maildevScript runs maildev until its standard input ends, so that it can't outlive the tests.
const maildevScript = `process.stdin.on('end', () => process.exit(0)).resume()
process.argv.splice(1, 0, process.env.MAILDEV)
require(process.env.MAILDEV)`

// startMaildev starts maildev on free loopback ports. It returns its SMTP port and the address of its HTTP interface.
func startMaildev(t *testing.T) (smtpPort int, web string) {
	t.Helper()
	program := npmPackage(t, "maildev/bin/maildev")
	ports := freeport.Find(t, 2)
	smtpPort, webPort := ports[0], ports[1]
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	command := exec.CommandContext(ctx, "node", "-e", maildevScript, "--",
		"--smtp", fmt.Sprint(smtpPort), "--web", fmt.Sprint(webPort), "--ip", "127.0.0.1", "--mail-directory", t.TempDir())
	command.Env = append(os.Environ(), "MAILDEV="+program)
	input, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	command.Stderr = command.Stdout
	if err := command.Start(); err != nil {
		t.Fatalf("node doesn't start: run make setup (%v)", err)
	}
	t.Cleanup(func() {
		_ = input.Close()
		cancel()
		_ = command.Wait()
	})
	printed := ""
	for lines := bufio.NewScanner(output); lines.Scan(); {
		printed += lines.Text() + "\n"
		if strings.Contains(printed, "webapp running") && strings.Contains(printed, "SMTP Server running") {
			go func() { _, _ = io.Copy(io.Discard, output) }()
			return smtpPort, fmt.Sprintf("http://127.0.0.1:%d", webPort)
		}
	}
	t.Fatalf("maildev doesn't start:\n%s", printed)
	return 0, ""
}
