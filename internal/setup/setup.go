package setup

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"example.com/griot/internal/httpx"
	"example.com/griot/internal/seal"
)

// Answers are an operator's decisions about a new deployment. They contain no secrets except a password in Database and
// the secrets in a gateway's settings.
type Answers struct {
	Dir      string // directory of the files, absolute
	Program  string // the path of griot, for the unit
	User     string // the user of the unit
	AuthURL  string
	APIURL   string
	Database string // might contain a password

	DefaultDatabase string // without a password

	GatewayKind     string // empty: none
	GatewayName     string
	GatewaySettings map[string]any
	LoginPhoneID    string // of the number that receives the words of logins; empty: none
	LoginNumber     string

	MailHost         string // empty: no mail
	MailPort         int
	MailTLS          string
	MailUsername     string
	MailPasswordFile string
	MailFrom         string

	Installed string // the unit that a package has installed; empty: none

	Proxy string // one of Proxies
	Cert  string // files of the certificate; empty: the paths of certbot
	Key   string
}

// InstalledUnit is the path of the unit that a package installs.
const InstalledUnit = "/usr/lib/systemd/system/griot.service"

// Names of the files of a deployment.
const (
	configFile   = "griot.yaml"
	keyFile      = "master.key"
	receiverFile = "receiver.secret"
	unitFile     = "griot.service"
)

// Proxies returns the proxies whose configuration can be written.
func Proxies() []string { return []string{"nginx", "caddy", "haproxy", "none"} }

// proxyFiles returns the names of the proxies' files.
func proxyFiles() map[string]string {
	return map[string]string{"nginx": "nginx.conf", "caddy": "Caddyfile", "haproxy": "haproxy.cfg"}
}

// File is a file of the deployment.
type File struct {
	Name   string
	Text   []byte
	Secret bool // only its owner can read it
}

// Config returns the path of the configuration.
func (a *Answers) Config() string { return filepath.Join(a.Dir, configFile) }

// MasterKey returns the path of the master key.
func (a *Answers) MasterKey() string { return filepath.Join(a.Dir, keyFile) }

// ReceiverSecret returns the path of the secret of the number that proves logins.
func (a *Answers) ReceiverSecret() string { return filepath.Join(a.Dir, receiverFile) }

// Postgres reports whether the database is a PostgreSQL server.
func (a *Answers) Postgres() bool { return !strings.HasPrefix(a.Database, "sqlite:") }

// StateFolder returns the directory of a SQLite file; empty for PostgreSQL.
func (a *Answers) StateFolder() string {
	if path, ok := strings.CutPrefix(a.Database, "sqlite:"); ok {
		return filepath.Dir(path)
	}
	return ""
}

// InHome reports whether the unit must have access to a home directory.
func (a *Answers) InHome() bool {
	for _, path := range []string{a.Dir, a.StateFolder(), a.Program} {
		if strings.HasPrefix(path, "/home/") || strings.HasPrefix(path, "/root/") {
			return true
		}
	}
	return false
}

// Packaged returns false, because the units of init are not a package's. tools/dist passes its own values to the
// template.
func (*Answers) Packaged() bool { return false }

// HasUnit reports whether the installed unit serves this deployment, so that no other unit is needed.
func (a *Answers) HasUnit() bool {
	needs := []string{"User=" + a.User, "ExecStart=" + a.Program + " serve --config " + a.Config()}
	if folder := a.StateFolder(); folder != "" {
		needs = append(needs, "ReadWritePaths="+folder)
	}
	has := strings.Split(a.Installed, "\n")
	return !slices.ContainsFunc(needs, func(line string) bool { return !slices.Contains(has, line) })
}

// AuthHost returns the host of the login service.
func (a *Answers) AuthHost() string { return hostOf(a.AuthURL) }

// APIHost returns the host of the messaging service.
func (a *Answers) APIHost() string { return hostOf(a.APIURL) }

func hostOf(origin string) string {
	own, err := httpx.ParseOwn(origin)
	if err != nil {
		return ""
	}
	return own.Host()
}

// service is a public service behind the proxy.
type service struct {
	Name, Host, Listen, Cert, Key string
	GivenCert                     bool
}

// Services returns the public services.
func (a *Answers) Services() []service {
	one := func(name, host, listen string) service {
		const live = "/etc/letsencrypt/live/"
		return service{name, host, listen, cmp.Or(a.Cert, live+host+"/fullchain.pem"), cmp.Or(a.Key, live+host+"/privkey.pem"), a.Cert != ""}
	}
	return []service{one("auth", a.AuthHost(), a.listen(a.AuthURL, "8081")), one("api", a.APIHost(), a.listen(a.APIURL, "8080"))}
}

// listen returns the listen address of a public service. Behind a proxy, it is on this machine. If Griot has the
// certificate, it is every address at the port of the service's URL.
func (a *Answers) listen(origin, port string) string {
	if a.Proxy != "none" || a.Cert == "" {
		return "127.0.0.1:" + port
	}
	if u, err := url.Parse(origin); err == nil {
		port = cmp.Or(u.Port(), port)
	}
	return ":" + port
}

//go:embed templates
var templates embed.FS

// plain matches texts that need no quotes in the unit and the proxies' configurations.
var plain = regexp.MustCompile(`^[A-Za-z0-9/._@-]*$`)

// Files returns the files of the deployment, with a new master key.
func (a *Answers) Files() ([]File, error) {
	for _, s := range []string{a.Dir, a.Program, a.User, a.StateFolder(), a.Cert, a.Key} {
		if !plain.MatchString(s) {
			return nil, fmt.Errorf("%q: the names of directories, files, and users can contain only letters, digits, dots, hyphens, and underscores", s)
		}
	}
	all := []File{{Name: keyFile, Text: []byte(seal.NewMasterKey() + "\n"), Secret: true}}
	if a.LoginNumber != "" {
		all = append(all, File{Name: receiverFile, Text: []byte(seal.NewMasterKey() + "\n"), Secret: true}) // equally random, and 44 characters
	}
	t, err := template.New("").Funcs(template.FuncMap{"quote": quote}).ParseFS(templates, "templates/*.tmpl")
	if err != nil {
		return nil, err
	}
	names := []string{configFile}
	if !a.HasUnit() {
		names = append(names, unitFile)
	}
	if name := proxyFiles()[a.Proxy]; name != "" {
		names = append(names, name)
	}
	for _, name := range names {
		var b bytes.Buffer
		if err := t.ExecuteTemplate(&b, name+".tmpl", a); err != nil {
			return nil, err
		}
		all = append(all, File{Name: name, Text: b.Bytes(), Secret: name == configFile})
	}
	return all, nil
}

// quote returns a value as JSON, which YAML also reads.
func quote(v any) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "", fmt.Errorf("a setting: %w", err)
	}
	return strings.TrimSpace(b.String()), nil
}

// Absolute makes the paths of files absolute, because the unit runs in another directory.
func (a *Answers) Absolute() error {
	for _, path := range []*string{&a.Cert, &a.Key, &a.MailPasswordFile} {
		if err := absolute(path); err != nil {
			return err
		}
	}
	for name, value := range a.GatewaySettings {
		path, ok := value.(string)
		if !ok || !strings.HasSuffix(name, "_file") {
			continue
		}
		if err := absolute(&path); err != nil {
			return err
		}
		a.GatewaySettings[name] = path
	}
	return nil
}

func absolute(path *string) (err error) {
	if *path != "" {
		*path, err = filepath.Abs(*path)
	}
	return err
}
