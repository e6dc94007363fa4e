package operate_test

import (
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	authverbs "example.com/griot/auth/verbs"
	messagingverbs "example.com/griot/messaging/verbs"
	"example.com/griot/test/system/systemtest"
)

// An application next to Griot gets the events of both services at its allowed origin. Other applications on this
// machine are refused.
func TestServe_WebhooksToANeighbour(t *testing.T) {
	t.Parallel()
	accepts := func(int, *http.Request) int { return http.StatusNoContent }
	app, other := systemtest.NewWebhookServer(t, accepts), systemtest.NewWebhookServer(t, accepts)
	origin := app.Url[:strings.Index(app.Url[len("http://"):]+"/", "/")+len("http://")]
	s := systemtest.StartServeWith(t, "sqlite:"+filepath.Join(t.TempDir(), "griot.db"), systemtest.MailGateway(1)+"webhooks: {allow: ["+origin+"]}\n")
	o := &systemtest.Operator{T: t, Dir: s.Cmd.Dir, Env: s.Cmd.Env}
	shop := systemtest.RunJSON[messagingverbs.Account](o, "accounts", "create", "--name", "Boutique", "--email", "awa@boutique.example")
	bank := systemtest.RunJSON[authverbs.Tenant](o, "tenants", "create", "--name", "Banque")
	o.Run("webhooks", "set", "--account", shop.ID, "--url", origin+"/of/account")
	o.Run("tenants", "webhook", "set", "--tenant", bank.ID, "--url", origin+"/of/tenant")
	for _, address := range []string{other.Url, s.Internal + "/hook", s.Api, "http://169.254.169.254/", strings.Replace(origin, "127.0.0.1", "localhost", 1)} {
		o.MustFail("The URL can't be used", "webhooks", "set", "--account", shop.ID, "--url", address)
		o.MustFail("can't be used", "tenants", "webhook", "set", "--tenant", bank.ID, "--url", address)
	}
	o.Run("webhooks", "ping", "--account", shop.ID)
	o.Run("tenants", "webhook", "ping", "--tenant", bank.ID)
	app.WaitFor(t, 2)
	if n := len(other.Received()); n != 0 {
		t.Errorf("another listener of this machine got %d requests", n)
	}
	s.HangUp(t, "SIGHUP: there is no certificate to read again", 1)
	s.HangUp(t, "SIGHUP: there is no certificate to read again", 2)
	stops(t, s)
	bad := &systemtest.Operator{T: t, Dir: s.Cmd.Dir, Env: append(s.Cmd.Env, "GRIOT_WEBHOOKS_ALLOW="+s.Internal+",http://169.254.169.254")}
	stdout, stderr, code := bad.Try("health")
	for _, want := range []string{"GRIOT_WEBHOOKS_ALLOW: webhooks.allow[0]: leads to a listener of Griot itself", "GRIOT_WEBHOOKS_ALLOW: webhooks.allow[1]: leads to an address that no webhook may reach"} {
		if code != 1 || !strings.Contains(stderr, want) {
			t.Errorf("exit %d, %s%s\nwant %s", code, stdout, stderr, want)
		}
	}
}

// stops ends a server, and fails the test unless its log names the process and its end.
func stops(t *testing.T, s *systemtest.Server) {
	t.Helper()
	if err := s.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := systemtest.WaitExit(s.Cmd); err != nil {
		t.Errorf("it ended with %v", err)
	}
	out := s.Out.String()
	up := regexp.MustCompile(`"msg":"griot is up","version":"dev","go":"go1[^"]+","roles":\["auth","api","gateway","worker"\],"auth":"` + s.Auth + `","api":"` + s.Api + `","listeners":\["internal 127\.0\.0\.1:\d+","auth 127\.0\.0\.1:\d+","api 127\.0\.0\.1:\d+"\],"tls":false,"database":"sqlite 3[^"]+","schema":\d+,"gateways":\["mail smtp"\]`)
	if !up.MatchString(out) {
		t.Errorf("logged:\n%s\nwant %s", out, up)
	}
	last := strings.Split(strings.TrimSpace(out), "\n")
	if n := len(last); n < 3 || !strings.Contains(last[n-2], "griot is stopping") || !strings.Contains(last[n-1], "griot has stopped") {
		t.Errorf("logged at last:\n%s", out)
	}
}
