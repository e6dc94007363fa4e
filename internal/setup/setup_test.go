package setup_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/griot/internal/setup"
)

func answers(dir string) *setup.Answers {
	return &setup.Answers{Dir: dir, Program: "/usr/bin/griot", User: "griot", AuthURL: "https://login.example.com", APIURL: "https://api.example.com", Database: "sqlite:/var/lib/griot/griot.db", Proxy: "nginx"}
}

func TestFiles_OfEachProxy(t *testing.T) {
	t.Parallel()
	for proxy, want := range map[string]struct {
		file  string
		lines []string
	}{
		"nginx":   {"nginx.conf", []string{"server_name login.example.com;", "    server 127.0.0.1:8081;", "proxy_pass http://griot-auth;", "ssl_certificate /etc/letsencrypt/live/api.example.com/fullchain.pem;", "proxy_set_header X-Forwarded-For $remote_addr;"}},
		"caddy":   {"Caddyfile", []string{"login.example.com {", "api.example.com {", "reverse_proxy 127.0.0.1:8080 {"}},
		"haproxy": {"haproxy.cfg", []string{"use_backend griot-auth if { hdr(host),field(1,:) -i login.example.com }", "http-request set-header X-Forwarded-For %[src]", "server griot 127.0.0.1:8080"}},
		"none":    {"", nil},
	} {
		a := answers("/etc/griot")
		a.Proxy = proxy
		files, err := a.Files()
		if err != nil {
			t.Fatal(err)
		}
		texts := map[string]string{}
		for _, f := range files {
			texts[f.Name] = string(f.Text)
			if secret := f.Name == "griot.yaml" || f.Name == "master.key"; f.Secret != secret {
				t.Errorf("%s: secret %v, want %v", f.Name, f.Secret, secret)
			}
		}
		if proxies := strings.Contains(texts["griot.yaml"], `trusted_proxies: [127.0.0.1, "::1"]`); proxies != (proxy != "none") {
			t.Errorf("%s: the proxy is trusted: %v", proxy, proxies)
		}
		if !strings.Contains(texts["griot.service"], "ExecStart=/usr/bin/griot serve --config /etc/griot/griot.yaml\nExecReload=/bin/kill -HUP $MAINPID") || !strings.Contains(texts["griot.service"], "ReadWritePaths=/var/lib/griot\n") {
			t.Errorf("the unit:\n%s", texts["griot.service"])
		}
		for _, line := range want.lines {
			if !strings.Contains(texts[want.file], line+"\n") {
				t.Errorf("%s has no line %q:\n%s", want.file, line, texts[want.file])
			}
		}
		if n := 3 + min(len(want.file), 1); len(files) != n {
			t.Errorf("%s: %d files, want %d", proxy, len(files), n)
		}
	}
	a := answers("/etc/griot")
	a.AuthURL, a.Proxy, a.Cert, a.Key = "https://login.example.com:8443", "none", "/etc/griot/cert.pem", "/etc/griot/key.pem"
	files, err := a.Files()
	if err != nil {
		t.Fatal(err)
	}
	if text := string(files[1].Text); !strings.Contains(text, `listen: ":8443"`) || !strings.Contains(text, `listen: ":8080"`) || strings.Contains(text, "trusted_proxies") {
		t.Errorf("with a certificate and no proxy it listens elsewhere:\n%s", text)
	}
	a = answers("/etc/griot")
	a.AuthURL = "https://connexion.Café.example"
	if files, err = a.Files(); err != nil {
		t.Fatal(err)
	}
	if text := string(files[len(files)-1].Text); !strings.Contains(text, "server_name connexion.xn--caf-dma.example;\n") {
		t.Errorf("the proxy compares Host with another spelling than browsers send:\n%s", text)
	}
	for _, dir := range []string{"/etc/my griot", "/etc/griot\nUser=root", "/etc/$HOME", "/etc/{a}"} {
		if files, err := answers(dir).Files(); err == nil {
			t.Errorf("%q: got %d files, want an error", dir, len(files))
		}
	}
}

// A package's unit is used if it serves the deployment, and a new one is written otherwise.
func TestFiles_OfAPackage(t *testing.T) {
	t.Parallel()
	const unit = "[Service]\nUser=griot\nExecStart=/usr/bin/griot serve --config /etc/griot/griot.yaml\nReadWritePaths=/var/lib/griot\n"
	for _, c := range []struct {
		name, installed string
		change          func(a *setup.Answers)
		written         bool
	}{
		{"as the package has it", unit, func(*setup.Answers) {}, false},
		{"on PostgreSQL", unit, func(a *setup.Answers) { a.Database = "postgres://griot@db/griot" }, false},
		{"in another folder", unit, func(a *setup.Answers) { a.Dir = "/srv/griot" }, true},
		{"with its database elsewhere", unit, func(a *setup.Answers) { a.Database = "sqlite:/srv/griot.db" }, true},
		{"as somebody else", unit, func(a *setup.Answers) { a.User = "awa" }, true},
		{"without a package", "", func(*setup.Answers) {}, true},
	} {
		a := answers("/etc/griot")
		a.Installed = c.installed
		c.change(a)
		files, err := a.Files()
		if err != nil {
			t.Fatal(err)
		}
		if written := slices.ContainsFunc(files, func(f setup.File) bool { return f.Name == "griot.service" }); written != c.written {
			t.Errorf("%s: a unit is written: %v, want %v", c.name, written, c.written)
		}
	}
}

func TestWrite_AllOrNothing(t *testing.T) {
	t.Parallel()
	files := []setup.File{{Name: "a", Text: []byte("1"), Secret: true}, {Name: "b", Text: []byte("2")}}
	entries := func(dir string) string {
		found, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, f := range found {
			info, err := f.Info()
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, f.Name()+" "+info.Mode().String())
		}
		return strings.Join(names, ", ")
	}
	dir := filepath.Join(t.TempDir(), "new")
	refused := errors.New("refused")
	if err := setup.Write(dir, files, func() error { return refused }); !errors.Is(err, refused) || entries(dir) != "" {
		t.Errorf("refused: got %v, and %q", err, entries(dir))
	}
	if err := setup.Write(dir, files, func() error { return nil }); err != nil || entries(dir) != "a -rw-------, b -rw-r--r--" {
		t.Errorf("got %v, and %q", err, entries(dir))
	}
	if err := os.Remove(filepath.Join(dir, "a")); err != nil {
		t.Fatal(err)
	}
	if err := setup.Write(dir, files, func() error { return nil }); !errors.Is(err, setup.ErrExists) || entries(dir) != "b -rw-r--r--" {
		t.Errorf("with b there: got %v, and %q", err, entries(dir))
	}
	if err := os.Remove(filepath.Join(dir, "b")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/nonexistent", filepath.Join(dir, "a")); err != nil {
		t.Fatal(err)
	}
	if err := setup.Write(dir, files, func() error { return nil }); !errors.Is(err, setup.ErrExists) {
		t.Errorf("through a link: got %v", err)
	}
}

func TestAsk(t *testing.T) {
	t.Parallel()
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("postgres://griot:SECRET@db/griot\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	settings := func(file string) (map[string]any, error) {
		if file != "sms.yaml" {
			return nil, fs.ErrNotExist
		}
		return map[string]any{"url": "https://sms.example.com"}, nil
	}
	a := answers("/etc/griot")
	a.AuthURL, a.APIURL, a.Proxy, a.Database, a.DefaultDatabase = "", "", "", "", a.Database
	var out strings.Builder
	typed := strings.Join([]string{
		"http://login.example.com", "login", "https://login.example.com", "https://login.example.com", "https://api.example.com", "mysql://x", "@" + secret,
		"pigeon", "cloudapi", "", "1055", "12", "70 00 00 99", "\u202a+223 70 00 00 99\u202c", "/nonexistent", secret, secret, secret,
		"smtp.example.com", "0", "", "griot", secret, "nobody", "bonjour@example.com", "apache", "",
	}, "\n") + "\n"
	if err := a.Ask(strings.NewReader(typed), &out, []string{"cloudapi", "httpsms"}, settings); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	if a.AuthURL != "https://login.example.com" || a.APIURL != "https://api.example.com" || a.Database != "postgres://griot:SECRET@db/griot" || !a.Postgres() || a.GatewayName != "whatsapp" || a.LoginPhoneID != "1055" || a.LoginNumber != "+22370000099" ||
		a.GatewaySettings["app_secret_file"] != secret || a.MailHost != "smtp.example.com" || a.MailPort != 587 || a.MailUsername != "griot" || a.MailPasswordFile != secret || a.MailFrom != "bonjour@example.com" || a.Proxy != "nginx" {
		t.Errorf("got %+v", a)
	}
	if strings.Contains(out.String(), "SECRET") || !strings.Contains(out.String(), "one of nginx, caddy, haproxy, none\n") {
		t.Errorf("shown:\n%s", out.String())
	}

	a = answers("/etc/griot") // with its database and its proxy
	if err := a.Ask(strings.NewReader("httpsms\nno.yaml\nsms.yaml\n\n"), &out, []string{"cloudapi", "httpsms"}, settings); err != nil || a.GatewayName != "httpsms" || a.GatewaySettings["url"] == nil || a.MailHost != "" || a.Proxy != "nginx" || a.StateFolder() != "/var/lib/griot" {
		t.Errorf("got %+v, %v", a, err)
	}
	if err := answers("/etc/griot").Ask(strings.NewReader("\n"), &out, nil, settings); err == nil {
		t.Error("no answer was taken as one")
	}
}
