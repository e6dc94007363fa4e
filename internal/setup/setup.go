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

// Answers are what an operator decides about a new deployment. No secret is among them but a password in Database, and what a
// gateway's settings hold.
type Answers struct {
	Dir      string // where the files go, absolute
	Program  string // the path of griot, for the unit
	User     string // as whom the unit runs it
	AuthURL  string
	APIURL   string
	Database string // perhaps with a password

	DefaultDatabase string // without one

	GatewayKind     string // empty: none
	GatewayName     string
	GatewaySettings map[string]any
	LoginPhoneID    string // of the number to which people send the words of a login; empty: none
	LoginNumber     string

	MailHost         string // empty: no mail
	MailPort         int
	MailTLS          string
	MailUsername     string
	MailPasswordFile string
	MailFrom         string

	Installed string // the unit that a package has installed; empty: none

	Proxy string // one of Proxies
	Cert  string // files of the certificate; empty: where certbot puts them
	Key   string
}

// InstalledUnit is where a package installs its unit.
const InstalledUnit = "/usr/lib/systemd/system/griot.service"

// Names of the files that a deployment may have.
const (
	configFile   = "griot.yaml"
	keyFile      = "master.key"
	receiverFile = "receiver.secret"
	unitFile     = "griot.service"
)

// Proxies lists the proxies whose configuration can be written.
func Proxies() []string { return []string{"nginx", "caddy", "haproxy", "none"} }

// proxyFiles are the names of their files.
func proxyFiles() map[string]string {
	return map[string]string{"nginx": "nginx.conf", "caddy": "Caddyfile", "haproxy": "haproxy.cfg"}
}

// File is a file of the deployment.
type File struct {
	Name   string
	Text   []byte
	Secret bool // only its owner may read it
}

// Config is the path of the configuration.
func (a *Answers) Config() string { return filepath.Join(a.Dir, configFile) }

// MasterKey is the path of the master key.
func (a *Answers) MasterKey() string { return filepath.Join(a.Dir, keyFile) }

// ReceiverSecret is the path of the secret of the number that proves logins.
func (a *Answers) ReceiverSecret() string { return filepath.Join(a.Dir, receiverFile) }

// Postgres reports whether the database is a PostgreSQL server.
func (a *Answers) Postgres() bool { return !strings.HasPrefix(a.Database, "sqlite:") }

// StateFolder is the folder of a SQLite file; empty on PostgreSQL.
func (a *Answers) StateFolder() string {
	if path, ok := strings.CutPrefix(a.Database, "sqlite:"); ok {
		return filepath.Dir(path)
	}
	return ""
}

// InHome reports whether the unit must see a home folder.
func (a *Answers) InHome() bool {
	for _, path := range []string{a.Dir, a.StateFolder(), a.Program} {
		if strings.HasPrefix(path, "/home/") || strings.HasPrefix(path, "/root/") {
			return true
		}
	}
	return false
}

// Packaged reports whether the unit is a package's. Those of init are not; tools/dist has values of its own for the template.
func (*Answers) Packaged() bool { return false }

// HasUnit reports whether the installed unit serves this deployment, so that it needs none of its own.
func (a *Answers) HasUnit() bool {
	needs := []string{"User=" + a.User, "ExecStart=" + a.Program + " serve --config " + a.Config()}
	if folder := a.StateFolder(); folder != "" {
		needs = append(needs, "ReadWritePaths="+folder)
	}
	has := strings.Split(a.Installed, "\n")
	return !slices.ContainsFunc(needs, func(line string) bool { return !slices.Contains(has, line) })
}

// AuthHost is the name of the login service.
func (a *Answers) AuthHost() string { return hostOf(a.AuthURL) }

// APIHost is the name of the messaging service.
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

// Services lists the public services.
func (a *Answers) Services() []service {
	one := func(name, host, listen string) service {
		const live = "/etc/letsencrypt/live/"
		return service{name, host, listen, cmp.Or(a.Cert, live+host+"/fullchain.pem"), cmp.Or(a.Key, live+host+"/privkey.pem"), a.Cert != ""}
	}
	return []service{one("auth", a.AuthHost(), a.listen(a.AuthURL, "8081")), one("api", a.APIHost(), a.listen(a.APIURL, "8080"))}
}

// listen is where a public service listens: on this machine, for a proxy, or where Griot has the certificate on every address,
// at the port of the service's own.
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

// plain is what the unit and the proxies' configurations take as it is.
var plain = regexp.MustCompile(`^[A-Za-z0-9/._@-]*$`)

// Files returns the files of the deployment, with a new master key.
func (a *Answers) Files() ([]File, error) {
	for _, s := range []string{a.Dir, a.Program, a.User, a.StateFolder(), a.Cert, a.Key} {
		if !plain.MatchString(s) {
			return nil, fmt.Errorf("%q: folders, files, and users need names of letters, digits, dots, -, and _", s)
		}
	}
	all := []File{{Name: keyFile, Text: []byte(seal.NewMasterKey() + "\n"), Secret: true}}
	if a.LoginNumber != "" {
		all = append(all, File{Name: receiverFile, Text: []byte(seal.NewMasterKey() + "\n"), Secret: true}) // as random, and 44 characters
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

// quote writes a value as JSON does, which YAML reads too.
func quote(v any) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "", fmt.Errorf("a setting: %w", err)
	}
	return strings.TrimSpace(b.String()), nil
}

// Absolute makes the paths of files absolute: the unit runs in another folder.
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
