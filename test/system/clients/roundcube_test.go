package clients_test

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"example.com/griot/internal/waittest"
	"example.com/griot/test/system/systemtest"
)

const (
	roundcubeFiles    = "/var/lib/roundcube/public_html"
	roundcubeSettings = "/etc/roundcube"
	dovecotProgram    = "/usr/sbin/dovecot"
)

var (
	// roundcubeUser matches the name of the mailbox on Roundcube's page, up to the name of the server.
	roundcubeUser = regexp.MustCompile(`header-title username">([0-9a-z]{26})@`)
	// dovecotUnknown matches the line with which Dovecot refuses someone without a mailbox.
	dovecotUnknown = regexp.MustCompile(`passwd-file\(([0-9a-z]{26}),[^\n]*unknown user`)
)

// A mailServer is Debian's Dovecot, which asks Griot's introspection about the token of each connection.
type mailServer struct {
	address string
	people  string     // the file with the mailboxes
	account *user.User // under which it runs
	group   string
	out     *systemtest.Buffer
}

// startMailServer starts Dovecot without a mailbox, with the settings of the document, under an unprivileged account.
func startMailServer(t *testing.T, site *partySite) *mailServer {
	t.Helper()
	dir := t.TempDir()
	m := &mailServer{address: systemtest.FreeAddress(t), people: filepath.Join(dir, "people")}
	var err error
	if m.account, err = user.Current(); err == nil && m.account.Uid == "0" {
		m.account, err = user.Lookup("nobody")
	}
	if err != nil {
		t.Fatal(err)
	}
	group, err := user.LookupGroupId(m.account.Gid)
	if err != nil {
		t.Fatal(err)
	}
	m.group = group.Name
	listens, port, _ := strings.Cut(m.address, ":")
	introspection, config := filepath.Join(dir, "griot.conf.ext"), filepath.Join(dir, "dovecot.conf")
	systemtest.WriteFile(t, m.people, "")
	authority, err := os.ReadFile(site.issuer.files.Cert)
	if err != nil {
		t.Fatal(err)
	}
	systemtest.WriteFile(t, filepath.Join(dir, "ca.pem"), string(authority))
	replace := strings.NewReplacer("login.example.com", strings.TrimPrefix(site.issuer.url, "https://"), "CLIENT_ID", site.client.ClientID, "CLIENT_SECRET", site.client.ClientSecret,
		"/etc/ssl/certs/ca-certificates.crt", filepath.Join(dir, "ca.pem"), "/etc/dovecot/griot.conf.ext", introspection)
	systemtest.WriteFile(t, introspection, replace.Replace(connectBlock(t, "griot.conf.ext").Code))
	systemtest.WriteFile(t, config, fmt.Sprintf(`protocols = imap
base_dir = %[1]s/run
state_dir = %[1]s/state
mail_location = maildir:%[1]s/mail/%%u
log_path = /dev/stderr
auth_verbose = yes
ssl = no
listen = %[2]s
first_valid_uid = 1
default_internal_user = %[4]s
default_login_user = %[4]s
default_internal_group = %[5]s
service anvil {
  chroot =
}
service imap-login {
  chroot =
  inet_listener imap {
    port = %[3]s
  }
  inet_listener imaps {
    port = 0
  }
}
userdb {
  driver = passwd-file
  args = %[1]s/people
}
`, dir, listens, port, m.account.Username, m.group)+replace.Replace(connectBlock(t, "local.conf").Code))
	cmd := exec.CommandContext(t.Context(), dovecotProgram, "-F", "-c", config)
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: giveToNobody(t, dir, introspection, config, m.people, filepath.Join(dir, "ca.pem"))}
	}
	m.out = startApplication(t, cmd, m.address)
	return m
}

// admits gives people a mailbox.
func (m *mailServer) admits(t *testing.T, names ...string) {
	t.Helper()
	var lines strings.Builder
	for _, name := range names {
		fmt.Fprintf(&lines, "%s::%s:%s::%s::\n", name, m.account.Uid, m.account.Gid, filepath.Join(filepath.Dir(m.people), "mail", name))
	}
	systemtest.WriteFile(t, m.people, lines.String())
}

// refused waits until Dovecot has refused the given number of people, and returns their names in their order.
func (m *mailServer) refused(t *testing.T, count int) (names []string) {
	t.Helper()
	waittest.Until(t, func() error {
		names = nil
		for _, line := range dovecotUnknown.FindAllStringSubmatch(m.out.String(), -1) {
			if !slices.Contains(names, line[1]) {
				names = append(names, line[1])
			}
		}
		if len(names) < count {
			return systemtest.ErrNotYet
		}
		return nil
	})
	return names
}

// roundcube returns Debian's Roundcube. mail is set when it has started.
func roundcube(mail **mailServer) relyingParty {
	return relyingParty{
		file:     "config.inc.php",
		callback: "/index.php/login/oauth",
		entry:    "/",
		setting:  regexp.MustCompile(`(?m)^\$config\['(\w+)'\]`),
		basics:   []string{"imap_host", "oauth_client_id", "oauth_client_secret", "oauth_auth_uri", "oauth_token_uri", "oauth_scope"},
		settings: []partySetting{
			{name: "oauth_provider", reason: "it turns OAuth on"},
			{name: "oauth_identity_fields", reason: "by default the claim email names the mailbox"},
			{name: "oauth_login_redirect", reason: "without it Roundcube shows a form for a password, and a button"},
		},
		start: func(t *testing.T, site *partySite, config string) *exec.Cmd {
			t.Helper()
			*mail = startMailServer(t, site)
			return startRoundcube(t, site, config, (*mail).address)
		},
		visit: func(r partyResponse) (v partyVisit, ok bool) {
			name := roundcubeUser.FindStringSubmatch(r.body)
			if name == nil {
				return v, false
			}
			return partyVisit{partyVisitor{Sub: name[1]}, r.at.RequestURI(), nil}, true
		},
		scope:   "openid",
		noPKCE:  "this version has none",
		noNonce: "this version sends none",
		noName:  "it shows the name of the mailbox",
		redeems: "it compares the state with that of the session only if the session has one, and then wants a cookie",
		anyISS:  "it reads state and code only",
	}
}

// startRoundcube returns the command of PHP's own web server with Debian's Roundcube, whose files are in a directory of
// the test.
func startRoundcube(t *testing.T, site *partySite, config, imap string) *exec.Cmd {
	t.Helper()
	dir := filepath.Dir(config)
	for _, name := range []string{"defaults.inc.php", "mimetypes.php"} {
		text, err := os.ReadFile(filepath.Join(roundcubeSettings, name))
		if err != nil {
			t.Fatalf("Roundcube is not there: run make setup (%v)", err)
		}
		systemtest.WriteFile(t, filepath.Join(dir, name), string(text))
	}
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	documented := strings.NewReplacer("https://login.example.com", site.issuer.url, "CLIENT_ID", site.client.ClientID, "CLIENT_SECRET", site.client.ClientSecret, "localhost:143", imap).Replace(string(text))
	systemtest.WriteFile(t, config, fmt.Sprintf(`<?php
$config = ['db_dsnw' => 'sqlite:///%[1]s/db?mode=0600', 'log_dir' => '%[1]s', 'temp_dir' => '%[1]s', 'des_key' => '%[2]s', 'plugins' => []];
%[3]s`, dir, strings.Repeat("k", 24), documented))
	t.Cleanup(func() {
		if log, err := os.ReadFile(filepath.Join(dir, "errors.log")); t.Failed() {
			t.Logf("Roundcube's log, %v:\n%s", err, log)
		}
	})
	return exec.CommandContext(t.Context(), "env", "ROUNDCUBE_CONFIG_DIR="+dir, "php", "-d", "openssl.cafile="+site.issuer.files.Cert, "-S", site.listens, "-t", roundcubeFiles)
}

// People read their mail in Roundcube, whose IMAP server admits only those who have a mailbox. Each token is good for
// one account. It takes more than 10 seconds, because PHP answers one request after the other.
func TestRelyingParties_Roundcube(t *testing.T) {
	systemtest.OnlyLong(t)
	t.Parallel()
	issuer, website := startPartyIssuer(t), startPartyWebsite(t)
	var mail *mailServer
	party := roundcube(&mail)
	site := party.open(t, issuer, website, "LIVE")
	phones := []partyLogin{issuer.phone(t, "22376000001"), issuer.phone(t, "22376000002"), issuer.phone(t, "22376000003")}
	for _, phone := range phones {
		stranger := issuer.person(t)
		party.isRefused(t, site, stranger, party.login(t, site, stranger, phone).String(), "a person without a mailbox")
	}
	names := mail.refused(t, len(phones))
	mail.admits(t, names[:2]...)
	for i, name := range names[:2] {
		party.signsIn(t, site, phones[i], partyVisitor{Sub: name})
	}
	stranger := issuer.person(t)
	party.isRefused(t, site, stranger, party.login(t, site, stranger, phones[2]).String(), "a person without a mailbox beside others who have one")
}
