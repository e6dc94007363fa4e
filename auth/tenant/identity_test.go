package tenant_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"example.com/griot/auth/tenant"
)

const subject = "01J9ZK4A7B8C9D0E1F2G3H4J5K"

// Rules: L210.
func TestConnect_Identity(t *testing.T) {
	t.Parallel()
	const local, all = "01j9zk4a7b8c9d0e1f2g3h4j5k", "openid profile phone email"
	for _, tt := range []struct {
		name     string
		c        tenant.Connect
		scope    string
		subject  string
		domain   tenant.DomainState
		email    string
		verified string
		username string
	}{
		{name: "no settings", scope: all},
		{name: "email", c: tenant.Connect{EmailDomain: "a.example"}, scope: "openid email", domain: tenant.DomainUnproven, email: local + "@a.example"},
		{name: "no openid", c: tenant.Connect{EmailDomain: "a.example", PreferredUsername: "sub"}, scope: "email profile", domain: tenant.DomainProven},
		{name: "no email", c: tenant.Connect{EmailDomain: "a.example"}, scope: "openid profile phone", domain: tenant.DomainProven},
		{name: "verified", c: tenant.Connect{EmailDomain: "a.example", EmailVerified: new(true)}, scope: all, domain: tenant.DomainProven, email: local + "@a.example", verified: "true"},
		{name: "lost", c: tenant.Connect{EmailDomain: "a.example", EmailVerified: new(true)}, scope: all, domain: tenant.DomainUnproven, email: local + "@a.example", verified: "false"},
		{name: "taken", c: tenant.Connect{EmailDomain: "a.example", EmailVerified: new(true)}, scope: all, domain: tenant.DomainTaken},
		{name: "not verified", c: tenant.Connect{EmailDomain: "a.example", EmailVerified: new(false)}, scope: all, domain: tenant.DomainProven, email: local + "@a.example", verified: "false"},
		{name: "sub", c: tenant.Connect{PreferredUsername: tenant.UsernameSub}, scope: "openid profile", username: local},
		{name: "name", c: tenant.Connect{PreferredUsername: tenant.UsernameName}, scope: "openid profile", username: "awa-3h4j5k"},
		{name: "no profile", c: tenant.Connect{PreferredUsername: tenant.UsernameName}, scope: "openid email"},
		{name: "quotes", c: tenant.Connect{EmailDomain: "a.example", PreferredUsername: "sub"}, scope: all, subject: `a"b`},
		{name: "an at sign", c: tenant.Connect{EmailDomain: "a.example"}, scope: all, subject: "a@b"},
		{name: "dots", c: tenant.Connect{EmailDomain: "a.example"}, scope: all, subject: "a..b"},
		{name: "an end", c: tenant.Connect{EmailDomain: "a.example"}, scope: all, subject: "a."},
		{name: "a line", c: tenant.Connect{EmailDomain: "a.example"}, scope: all, subject: "a\n"},
		{name: "long", c: tenant.Connect{EmailDomain: "a.example"}, scope: all, subject: strings.Repeat("a", 65)},
	} {
		if tt.subject == "" {
			tt.subject = subject
		}
		got, verified := tt.c.Identity(tt.scope, tt.subject, "awa-3h4j5k", tt.domain), ""
		if got.EmailVerified != nil {
			verified = map[bool]string{true: "true", false: "false"}[*got.EmailVerified]
		}
		if got.Email != tt.email || verified != tt.verified || got.PreferredUsername != tt.username {
			t.Errorf("%s: %+v (verified %q), want %q %q %q", tt.name, got, verified, tt.email, tt.verified, tt.username)
		}
	}
}

// Rules: L211.
func TestUsername(t *testing.T) {
	t.Parallel()
	const own, end = "01j9zk4a7b8c9d0e1f2g3h4j5k", "-3h4j5k"
	for name, want := range map[string]string{
		"Awa": "awa" + end, "Awa Traoré": "awa-traore" + end, "Groß": "gross" + end, "Łukasz Øster": "lukasz-oster" + end, "N'Diaye": "ndiaye" + end, "N’Golo": "ngolo" + end,
		"Kɔnɛ Ŋ": "kone-ng" + end, "Ｆｕｌｌ": "full" + end, "İstanbul ı": "istanbul-i" + end, "A.B_C-D": "a-b-c-d" + end, "--a--": "a" + end, "  Awa\u200b\u00a0 Seydou ": "awa-seydou" + end,
		"Awa 👩🏾‍🌾": "awa" + end, "Sandbox 1": "sandbox-1" + end, "\u202eawA": "awa" + end, "аwa": "wa" + end,
		"awa-k3f9xx": "awa-k3f9xx" + end, "admin": "admin" + end, "../../etc/passwd": "etc-passwd" + end,
		strings.Repeat("a", 255): strings.Repeat("a", 25) + end, strings.Repeat("a", 24) + " b": strings.Repeat("a", 24) + end,
		"": own, "+223 76 00 00 01": own, "٧٦٠٠": own, "مريم": own, "👩🏾‍🌾": own, "\u200b\u2060": own, "---": own, "\xff": own, "...": own,
	} {
		if got := tenant.Username(name, subject); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

// A user name is short and plain for any name. It never belongs to another subject with another end.
// Rules: L211.
func FuzzUsername(f *testing.F) {
	for _, name := range []string{"Awa Traoré", "ﷺﷺﷺ", "awa-k3f9", strings.Repeat("ß", 300), "\u202e", "1️⃣", "\xff"} {
		f.Add(name, name)
	}
	form := regexp.MustCompile(`\A[a-z0-9]+(-[a-z0-9]+)*\z`)
	f.Fuzz(func(t *testing.T, name, other string) {
		got := tenant.Username(name, subject)
		if !form.MatchString(got) || len(got) > 32 || !utf8.ValidString(got) {
			t.Errorf("%q: %q", name, got)
		}
		if got == tenant.Username(other, "01J9ZK4A7B8C9D0E1F2G3H4J5M") || got == "01j9zk4a7b8c9d0e1f2g3h4j5m" {
			t.Errorf("%q and %q have the user name %q", name, other, got)
		}
	})
}
