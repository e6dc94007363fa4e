package main

import (
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	authadmin "example.com/griot/auth/admin"
	messagingadmin "example.com/griot/messaging/admin"
)

// An application beside Griot gets the events of both services at its allowed origin; others on this machine are refused.
func TestServe_WebhooksToANeighbour(t *testing.T) {
	t.Parallel()
	accepts := func(int, *http.Request) int { return http.StatusNoContent }
	app, other := newWebhookServer(t, accepts), newWebhookServer(t, accepts)
	origin := app.url[:strings.Index(app.url[len("http://"):]+"/", "/")+len("http://")]
	s := startServeWith(t, "sqlite:"+filepath.Join(t.TempDir(), "griot.db"), mailGateway(1)+"webhooks: {allow: ["+origin+"]}\n")
	o := &operator{t: t, dir: s.cmd.Dir, env: s.cmd.Env}
	shop := runJSON[messagingadmin.Account](o, "accounts", "create", "--name", "Boutique", "--email", "awa@boutique.example")
	bank := runJSON[authadmin.Tenant](o, "tenants", "create", "--name", "Banque")
	o.run("webhooks", "set", "--account", shop.ID, "--url", origin+"/of/account")
	o.run("tenants", "webhook", "set", "--tenant", bank.ID, "--url", origin+"/of/tenant")
	for _, address := range []string{other.url, s.internal + "/hook", s.api, "http://169.254.169.254/", strings.Replace(origin, "127.0.0.1", "localhost", 1)} {
		o.mustFail("The address can't be used", "webhooks", "set", "--account", shop.ID, "--url", address)
		o.mustFail("can't be used", "tenants", "webhook", "set", "--tenant", bank.ID, "--url", address)
	}
	o.run("webhooks", "ping", "--account", shop.ID)
	o.run("tenants", "webhook", "ping", "--tenant", bank.ID)
	app.waitFor(t, 2)
	if n := len(other.got()); n != 0 {
		t.Errorf("another listener of this machine got %d requests", n)
	}
	s.hangUp(t, "SIGHUP: there is no certificate to read again", 1)
	s.hangUp(t, "SIGHUP: there is no certificate to read again", 2)
	stops(t, s)
	bad := &operator{t: t, dir: s.cmd.Dir, env: append(s.cmd.Env, "GRIOT_WEBHOOKS_ALLOW="+s.internal+",http://169.254.169.254")}
	stdout, stderr, code := bad.try("health")
	for _, want := range []string{"GRIOT_WEBHOOKS_ALLOW: webhooks.allow[0]: leads to a listener of Griot itself", "GRIOT_WEBHOOKS_ALLOW: webhooks.allow[1]: leads to an address that no webhook may reach"} {
		if code != 1 || !strings.Contains(stderr, want) {
			t.Errorf("exit %d, %s%s\nwant %s", code, stdout, stderr, want)
		}
	}
}

// stops ends a server, and fails unless its log names what ran and how it ended.
func stops(t *testing.T, s *server) {
	t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := waitExit(s.cmd); err != nil {
		t.Errorf("it ended with %v", err)
	}
	out := s.out.String()
	up := regexp.MustCompile(`"msg":"griot is up","version":"dev","go":"go1[^"]+","roles":\["auth","api","gateway","worker"\],"auth":"` + s.auth + `","api":"` + s.api + `","listeners":\["internal 127\.0\.0\.1:\d+","auth 127\.0\.0\.1:\d+","api 127\.0\.0\.1:\d+"\],"tls":false,"database":"sqlite 3[^"]+","schema":\d+,"gateways":\["mail smtp"\]`)
	if !up.MatchString(out) {
		t.Errorf("logged:\n%s\nwant %s", out, up)
	}
	last := strings.Split(strings.TrimSpace(out), "\n")
	if n := len(last); n < 3 || !strings.Contains(last[n-2], "griot is stopping") || !strings.Contains(last[n-1], "griot has stopped") {
		t.Errorf("logged at last:\n%s", out)
	}
}
