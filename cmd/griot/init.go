package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.com/griot/cmd/griot/console"
	"example.com/griot/cmd/griot/exit"
	"example.com/griot/internal/doctor"
	"example.com/griot/internal/setup"
)

// initOptions are the flags of init.
type initOptions struct {
	a               setup.Answers
	databaseFile    string
	gatewaySettings string
	loginNumber     string

	ownFolder bool // the directory of the SQLite file is new or empty
}

func initCommand() *cobra.Command {
	o := &initOptions{}
	c := &cobra.Command{
		Use:   "init DIR",
		Short: "Create the configuration of a new deployment",
		Long: "Write griot.yaml, master.key, griot.service, and the proxy's configuration into a directory. Existing files are not overwritten.\n\n" +
			"On a terminal, the command asks for missing settings. Without a terminal, --auth-url and --api-url are required. Secrets are read only from files, because everyone on the machine can read arguments.",
		Example: "  griot init /etc/griot\n" +
			"  griot init /etc/griot --auth-url https://login.example.com --api-url https://api.example.com --mail-host smtp.example.com --mail-username griot --mail-password-file /etc/griot/smtp.password --mail-from bonjour@example.com --proxy caddy",
		Args: exactlyOne("DIR, such as /etc/griot"),
		RunE: func(c *cobra.Command, args []string) error { return o.run(c, args[0]) },
	}
	f := c.Flags()
	f.StringVar(&o.a.AuthURL, "auth-url", "", "public address of the login service")
	f.StringVar(&o.a.APIURL, "api-url", "", "public address of the messaging service")
	f.StringVar(&o.a.Database, "database", "", "sqlite:PATH or postgres://USER@HOST/NAME, without a password")
	f.StringVar(&o.databaseFile, "database-file", "", "file with the database URL, which can contain a password")
	f.StringVar(&o.a.GatewayKind, "gateway", "", "kind of the first gateway: "+strings.Join(drivers().Kinds(), ", "))
	f.StringVar(&o.a.GatewayName, "gateway-name", "", "name of the first gateway (default: its kind)")
	f.StringVar(&o.gatewaySettings, "gateway-settings", "", "file with the first gateway's settings in YAML or JSON, see docs/gateways (-: standard input)")
	f.StringVar(&o.loginNumber, "login-number", "", "number of the gateway to which people send words: PHONE_ID:+22370000099")
	f.StringVar(&o.a.MailHost, "mail-host", "", "SMTP server for sign-in codes and email")
	f.IntVar(&o.a.MailPort, "mail-port", 0, "port of the SMTP server (default: depends on --mail-tls)")
	f.StringVar(&o.a.MailTLS, "mail-tls", "", "starttls, implicit, or none (see docs/gateways/smtp.md)")
	f.StringVar(&o.a.MailUsername, "mail-username", "", "user name")
	f.StringVar(&o.a.MailPasswordFile, "mail-password-file", "", "file with the SMTP password")
	f.StringVar(&o.a.MailFrom, "mail-from", "", "sender address of emails")
	f.StringVar(&o.a.Proxy, "proxy", "", "proxy to write a configuration for: "+strings.Join(setup.Proxies(), ", ")+" (default "+setup.Proxies()[0]+")")
	f.StringVar(&o.a.Cert, "tls-cert", "", "certificate file, for the proxy or, with --proxy none, for Griot")
	f.StringVar(&o.a.Key, "tls-key", "", "key file of the certificate")
	f.StringVar(&o.a.User, "user", "", "user that the unit runs griot as (default: you, or griot for root)")
	c.MarkFlagsMutuallyExclusive("database", "database-file")
	c.MarkFlagsRequiredTogether("gateway", "gateway-settings")
	c.MarkFlagsRequiredTogether("mail-host", "mail-from")
	c.MarkFlagsRequiredTogether("mail-username", "mail-password-file")
	c.MarkFlagsRequiredTogether("tls-cert", "tls-key")
	return c
}

func (o *initOptions) run(c *cobra.Command, dir string) (err error) {
	a := &o.a
	if a.Dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	asks := a.AuthURL == "" || a.APIURL == ""
	if asks && !console.AsksPeople(c.InOrStdin()) {
		return exit.Usage("--auth-url and --api-url are required without a terminal")
	}
	if err := o.complete(c); err != nil {
		return err
	}
	if asks {
		if err := a.Ask(c.InOrStdin(), c.OutOrStdout(), drivers().Kinds(), func(file string) (map[string]any, error) { return settingsOf(c, file) }); err != nil {
			return err
		}
	}
	a.Proxy, a.Database = cmp.Or(a.Proxy, setup.Proxies()[0]), cmp.Or(a.Database, a.DefaultDatabase)
	if path, ok := strings.CutPrefix(a.Database, "sqlite:"); ok {
		if path, err = filepath.Abs(path); err != nil {
			return err
		}
		a.Database = "sqlite:" + path
	}
	if err := a.Absolute(); err != nil {
		return err
	}
	files, err := a.Files()
	if err != nil {
		return err
	}
	err = setup.Write(a.Dir, files, func() error {
		if folder := a.StateFolder(); folder != "" {
			const mode = 0o700
			if err := os.MkdirAll(folder, mode); err != nil {
				return err
			}
			inside, err := os.ReadDir(folder)
			if err != nil {
				return err
			}
			o.ownFolder = len(inside) == 0
		}
		cfg, err := loadConfig(a.Config(), nil)
		if err != nil {
			return exit.Usage("%w", err)
		}
		if err := o.own(files); err != nil {
			return err
		}
		if u, ok := doctor.FindUser(a.User); ok {
			return accessProblems(cfg, u).Err()
		}
		return nil
	})
	if err != nil {
		return err
	}
	return o.next(c.OutOrStdout(), files)
}

// complete reads the files that flags name, sets defaults, and refuses invalid flags.
func (o *initOptions) complete(c *cobra.Command) (err error) {
	a := &o.a
	if u, err := url.Parse(a.Database); err == nil && u.User != nil {
		if _, secret := u.User.Password(); secret {
			return exit.Usage("--database: everyone on this machine can read a password in an argument; put the URL in a file, and use --database-file")
		}
	}
	if a.Proxy != "" && !slices.Contains(setup.Proxies(), a.Proxy) {
		return exit.Usage("--proxy must be one of %s", strings.Join(setup.Proxies(), ", "))
	}
	root := os.Geteuid() == 0
	if o.databaseFile != "" {
		a.Database = "@" + o.databaseFile
	}
	if a.Database != "" {
		if a.Database, err = setup.DatabaseOf(a.Database); err != nil {
			return err
		}
	}
	if a.DefaultDatabase = "sqlite:" + filepath.Join(a.Dir, "data", "griot.db"); root {
		a.DefaultDatabase = "sqlite:/var/lib/griot/griot.db"
	}
	if a.GatewayKind != "" {
		if a.GatewaySettings, err = settingsOf(c, o.gatewaySettings); err != nil {
			return err
		}
		if a.GatewayName == "" {
			a.GatewayName = a.GatewayKind
		}
	}
	if o.loginNumber != "" {
		var ok bool
		if a.LoginPhoneID, a.LoginNumber, ok = strings.Cut(o.loginNumber, ":"); !ok || a.GatewayKind == "" {
			return exit.Usage("--login-number must be PHONE_ID:NUMBER, and requires --gateway")
		}
	}
	if a.Program, err = os.Executable(); err != nil {
		return err
	}
	installed, err := os.ReadFile(setup.InstalledUnit)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	a.Installed = string(installed)
	if a.User == "" {
		a.User = "griot"
		if me, err := user.Current(); err == nil && !root {
			a.User = me.Username
		}
	}
	return nil
}

// settingsOf reads a file with a gateway's settings.
func settingsOf(c *cobra.Command, file string) (settings map[string]any, err error) {
	raw, err := readSettings(c, file)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	err = d.Decode(&settings)
	return settings, err
}

// own makes the unit's user the owner of the directories of the files and of a SQLite file, if init runs as root
// and the user exists. A SQLite file's directory that contains other files keeps its owner: it can be /root.
func (o *initOptions) own(files []setup.File) error {
	paths := []string{o.a.Dir}
	for _, f := range files {
		paths = append(paths, filepath.Join(o.a.Dir, f.Name))
	}
	if o.ownFolder {
		paths = append(paths, o.a.StateFolder())
	}
	uid, gid, known := o.owner()
	if !known {
		return nil
	}
	for _, path := range paths {
		if err := os.Chown(path, uid, gid); err != nil {
			return err
		}
	}
	return nil
}

// owner returns the unit's user if init runs as root and the user exists.
func (o *initOptions) owner() (uid, gid int, known bool) {
	u, err := user.Lookup(o.a.User)
	if err != nil || os.Geteuid() != 0 {
		return 0, 0, false
	}
	uid, errUser := strconv.Atoi(u.Uid)
	gid, errGroup := strconv.Atoi(u.Gid)
	return uid, gid, errors.Join(errUser, errGroup) == nil
}

// next prints the written files and the next steps.
func (o *initOptions) next(w io.Writer, files []setup.File) error {
	var b strings.Builder
	a := &o.a
	fmt.Fprintf(&b, "Written to %s:\n", a.Dir)
	for _, f := range files {
		fmt.Fprintf(&b, "  %s\n", f.Name)
	}
	b.WriteString("Next:\n")
	if _, err := user.Lookup(a.User); err != nil {
		folders, state := a.Dir, a.StateFolder()
		if o.ownFolder {
			folders += " " + state
		}
		fmt.Fprintf(&b, "  useradd --system --home-dir /nonexistent --shell /usr/sbin/nologin %s && chown -R %s: %s\n", a.User, a.User, folders)
		if !o.ownFolder && state != "" && state != a.Dir {
			fmt.Fprintf(&b, "  To run Griot as %s, move the database to a directory that %s owns, because %s contains other files.\n", a.User, a.User, state)
		}
	}
	if a.MailPasswordFile != "" || a.GatewayKind != "" || a.Proxy == "none" && a.Key != "" {
		fmt.Fprintf(&b, "  The files that griot.yaml names must be readable by %s.\n", a.User)
	}
	fmt.Fprintf(&b, "  Keep a copy of %s in another place. Without it, the sealed secrets in the database are lost.\n", a.MasterKey())
	if a.HasUnit() {
		b.WriteString("  systemctl enable --now griot\n")
	} else {
		fmt.Fprintf(&b, "  griot serve --config %s, or as a service (see the first line of griot.service)\n", a.Config())
	}
	if a.Proxy != "none" {
		fmt.Fprintf(&b, "  Install the %s configuration as its first line describes.\n", a.Proxy)
	}
	fmt.Fprintf(&b, "  griot admin --config %s accounts create --name NAME --email ADDRESS\n", a.Config())
	_, err := io.WriteString(w, b.String())
	return err
}
