package config

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/mail"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"example.com/griot/internal/certificate"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/phone"
	"example.com/griot/internal/safedial"
	"example.com/griot/internal/seal"
)

// check records all invalid settings, without any secrets.
func (c *Config) check(p *CheckError) {
	if err := CheckRoles(c.Roles); err != nil {
		p.add("roles", err.Error(), "")
	}
	if path, ok := strings.CutPrefix(c.Database, "sqlite:"); ok && path == "" || !ok && !strings.HasPrefix(c.Database, "postgres://") && !strings.HasPrefix(c.Database, "postgresql://") {
		p.add("database", "must be sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME", "")
	}
	if c.SendWait < 0 {
		p.add("send_wait", "must be a duration of 0s or more", "")
	}
	if c.UnknownWait < 0 {
		p.add("unknown_wait", "must be a duration of 0s or more", "")
	}
	if c.UnderWay < 0 {
		p.add("under_way", "must be a number of messages, or 0 for no limit", "")
	}
	if c.Plans != "on" && c.Plans != "off" {
		p.add("plans", "on or off", "")
	}
	if _, err := seal.ParseKey(c.MasterKeyBefore); err != nil && c.KeyBeforeFile != "" && !p.about("master_key_previous_file") {
		p.add("master_key_previous_file", "must be 32 random bytes in base64", "use the file that was master_key_file before the rotation")
	}
	if _, err := seal.ParseKey(c.MasterKey); err != nil && !p.about("master_key", "master_key_file") {
		p.add("master_key", "must be 32 random bytes in base64", "openssl rand -base64 32, "+fileHint+"master_key_file")
	}
	c.checkListeners(p)
	c.checkConnections(p)
	if _, err := c.TrustedProxies(); err != nil {
		p.add("trusted_proxies", err.Error(), "")
	}
	c.checkTLS(p)
	c.checkWebhooks(p)
	c.checkReceivers(p)
	c.checkSignIn(p)
	c.checkGateways(p)
	c.checkLog(p)
	c.Media.check(p)
	c.checkDrain(p)
	c.Billing.check(c.Plans, p)
	c.checkShared(p)
}

// CheckFolder returns the problem with the directory of a SQLite file. A server doesn't create the directory, because
// the path might be misspelled. A restore does, so this check isn't part of [Load].
func (c *Config) CheckFolder() error {
	path, lite := strings.CutPrefix(c.Database, "sqlite:")
	if !lite || path == "" {
		return nil
	}
	var p CheckError
	folder := filepath.Dir(path)
	switch info, err := os.Stat(folder); {
	case errors.Is(err, fs.ErrNotExist):
		p.add("database", folder+" doesn't exist", "create it, owned by the user that runs griot serve: mkdir -m 700 "+folder)
	case err == nil && !info.IsDir():
		p.add("database", folder+" isn't a directory", "")
	}
	for i := range p {
		p[i] = c.Locate(p[i])
	}
	return p.Err()
}

// CheckShared returns the invalid settings among those that griot dev has, too: signup, auth.state_max, otp, limits,
// operator, and retention.
func (c *Config) CheckShared() error {
	var p CheckError
	c.checkShared(&p)
	return p.Err()
}

func (c *Config) checkShared(p *CheckError) {
	if c.Signup != "closed" && c.Signup != "invite" && c.Signup != "open" {
		p.add("signup", "closed, invite, or open", "")
	}
	if c.Auth.StateMax < minStateMax || c.Auth.StateMax > maxStateMax {
		p.add("auth.state_max", fmt.Sprintf("%d to %d characters", minStateMax, maxStateMax), "")
	}
	if c.Limits.SignupDaily < 0 {
		p.add("limits.signup_daily", "must be a number, or 0 for no limit", "")
	}
	if c.Limits.LiveLogins < 0 {
		p.add("limits.live_logins", "must be a number, or 0 for no limit", "")
	}
	c.OTP.check(p)
	c.Operator.check(p)
	c.Retention.check(p)
}

// CheckRoles returns the error in a list of roles.
func CheckRoles(roles []string) error {
	if len(roles) == 0 || slices.ContainsFunc(roles, func(r string) bool { return !slices.Contains(Roles(), r) }) {
		return errors.New("there are " + strings.Join(Roles(), ", "))
	}
	return nil
}

func (c *Config) checkListeners(p *CheckError) {
	c.checkOrigin(p, "auth.url", c.Auth.URL)
	c.checkOrigin(p, "api.url", c.API.URL)
	if c.Auth.URL != "" && c.Auth.URL == c.API.URL {
		p.add("auth.url", "is also api.url: they must be two origins", "use two names, or one with two ports")
	}
	listeners := []struct{ setting, address string }{{"auth.listen", c.Auth.Listen}, {"api.listen", c.API.Listen}, {"internal.listen", c.Internal.Listen}}
	if c.Probe.Listen != "" {
		listeners = append(listeners, struct{ setting, address string }{"probe.listen", c.Probe.Listen})
	}
	for i, l := range listeners {
		_, port, err := net.SplitHostPort(l.address)
		if n, notNumber := strconv.ParseUint(port, 10, 16); err != nil || notNumber != nil {
			p.add(l.setting, "must be an address and a port, such as 127.0.0.1:8080, or :8080 for all addresses", "")
		} else if n > 0 && slices.ContainsFunc(listeners[:i], func(other struct{ setting, address string }) bool { return overlap(other.address, l.address) }) {
			p.add(l.setting, "another listener has this port", "give each listener a port of its own")
		}
	}
	if !Loopback(c.Internal.Listen) && !p.about("internal.listen") {
		p.add("internal.listen", "must be a loopback address, because the listener is only for this machine", "127.0.0.1:8082")
	}
}

// overlap reports whether two listeners can't both be opened because they have the same port and an address in common.
func overlap(a, b string) bool {
	hostA, portA, errA := net.SplitHostPort(a)
	hostB, portB, errB := net.SplitHostPort(b)
	if errA != nil || errB != nil || portA != portB {
		return false
	}
	hostA, hostB = listenHost(hostA), listenHost(hostB)
	return hostA == hostB || everyHost(hostA, hostB) || everyHost(hostB, hostA)
}

func listenHost(host string) string {
	switch host {
	case "localhost":
		return "127.0.0.1"
	case "":
		return "::"
	}
	return host
}

// everyHost reports whether a listener on all also accepts connections to one.
func everyHost(all, one string) bool {
	return all == "::" || all == "0.0.0.0" && !strings.Contains(one, ":")
}

func (c *Config) checkConnections(p *CheckError) {
	if c.Connections.Total < 0 {
		p.add("connections.total", "must be a number, or 0 for no limit", "")
	}
	if c.Connections.PerAddress < 0 {
		p.add("connections.per_address", "must be a number, or 0 for no limit", "")
	}
}

func (c *Config) checkTLS(p *CheckError) {
	if c.TLS == (TLS{}) {
		return
	}
	if c.TLS.Cert == "" || c.TLS.Key == "" {
		p.add("tls", "needs cert and key, two files in PEM", "omit both behind a proxy that has the certificate")
		return
	}
	if _, err := certificate.Open(c.TLS.Cert, c.TLS.Key); err != nil {
		p.add("tls", err.Error(), "")
	}
	for _, o := range []struct{ setting, origin string }{{"auth.url", c.Auth.URL}, {"api.url", c.API.URL}} {
		if own, err := httpx.ParseOwn(o.origin); err == nil && !own.Secure {
			p.add(o.setting, "must be https, since tls.cert is set", "")
		}
	}
}

// MediaDial returns the allowed sources of media.
func (c *Config) MediaDial() safedial.Options {
	return safedial.Options{Private: c.Webhooks.AllowPrivate, Loopback: c.Dev.MediaLoopback}
}

// WebhookDial returns the allowed targets of webhooks.
func (c *Config) WebhookDial() safedial.Options {
	o := safedial.Options{Private: c.Webhooks.AllowPrivate, Loopback: c.Dev.WebhookLoopback}
	if c.Dev.WebhookLoopback {
		return o
	}
	o.Allow, o.Own = c.Webhooks.Allow, []string{c.Auth.Listen, c.API.Listen, c.Internal.Listen, c.Probe.Listen}
	return o
}

func (c *Config) checkWebhooks(p *CheckError) {
	if len(c.Webhooks.Allow) > maxAllowed {
		p.add("webhooks.allow", fmt.Sprintf("at most %d origins", maxAllowed), "")
		return
	}
	for i, origin := range c.Webhooks.Allow {
		if err := c.WebhookDial().CheckOrigin(origin); err != nil {
			p.add(fmt.Sprintf("webhooks.allow[%d]", i), err.Error(), "")
		}
	}
}

// maxAllowed bounds webhooks.allow, because each webhook call searches it.
const maxAllowed = 100

func (c *Config) checkReceivers(p *CheckError) {
	for i, r := range c.Auth.Receivers {
		at := fmt.Sprintf("auth.receivers[%d]", i)
		if r.PhoneID == "" {
			p.add(at+".phone_id", "is required: the gateway's ID of the number", "")
		}
		if _, ok := phone.Parse(r.Number); !ok {
			p.add(at+".number", "must be a number such as +22370000099", "")
		}
		if len(r.Secret) < minSecret && !p.about(at+".secret_file") {
			p.add(at+".secret", fmt.Sprintf("must have at least %d characters", minSecret), "openssl rand -hex 32, "+fileHint+"secret_file")
		}
		if r.Gateway != "" && !plainName(r.Gateway) {
			p.add(at+".gateway", "must be the name of a gateway, made of letters, digits, -, and _", "")
		}
	}
}

func (c *Config) checkSignIn(p *CheckError) {
	const at = "api.whatsapp_sign_in"
	switch w := c.API.WhatsAppSignIn; {
	case (w.ClientID == "") == (w.ClientSecret == "") && w.ClientSecretFile == "" || p.about(at+".client_secret_file"):
	case w.ClientSecret == "" && w.ClientSecretFile != "":
		p.add(at+".client_secret_file", "the file is empty", "")
	case w.ClientID == "" || w.ClientSecret == "":
		p.add(at, "needs client_id and a secret", fileHint+"client_secret_file")
	}
}

func (c *Config) checkGateways(p *CheckError) {
	names := map[string]bool{}
	for i, g := range c.Gateways {
		at := fmt.Sprintf("gateways[%d]", i)
		switch {
		case !plainName(g.Name):
			p.add(at+".name", "is required, with letters, digits, - and _", "")
		case names[g.Name]:
			p.add(at+".name", "another gateway has this name", "")
		}
		if g.Kind == "" {
			p.add(at+".kind", "is needed", "")
		}
		if _, err := g.JSON(); err != nil {
			p.add(at+".settings", "the names of all fields must be words", "")
		}
		names[g.Name] = true
	}
	if c.Email.Gateway != "" && !names[c.Email.Gateway] {
		p.add("email.gateway", "must be the name of one of the gateways", "")
	}
	if c.Email.Gateway != "" && c.Email.From == "" {
		p.add("email.from", "is required: the sender address of emails", "")
	} else if c.Email.From != "" && !isAddress(c.Email.From) {
		p.add("email.from", "must be an email address such as bonjour@example.com", "")
	}
}

func isAddress(s string) bool {
	a, err := mail.ParseAddress(s)
	return err == nil && a.Address == s
}

func (c *Config) checkLog(p *CheckError) {
	var level slog.Level
	if level.UnmarshalText([]byte(c.Log.Level)) != nil {
		p.add("log.level", "debug, info, warn, or error", "")
	}
	if c.Log.Format != "json" && c.Log.Format != "text" {
		p.add("log.format", "json or text", "")
	}
}

const (
	minSecret   = 32
	minStateMax = 256 // states of this length always work
	maxStateMax = 2048
)

// TrustedProxies returns the networks of the proxies in front.
func (c *Config) TrustedProxies() ([]netip.Prefix, error) {
	var all []netip.Prefix
	const widest4, widest6 = 8, 7 // 10.0.0.0/8 and fc00::/7
	for _, s := range c.Proxies {
		p, err := netip.ParsePrefix(s)
		if err != nil {
			a, err := netip.ParseAddr(s)
			if err != nil {
				return nil, errors.New("addresses or networks, such as 10.0.0.7 and 10.0.0.0/8")
			}
			p = netip.PrefixFrom(a, a.BitLen())
		}
		if p.Bits() < widest6 || p.Addr().Is4() && p.Bits() < widest4 {
			return nil, errors.New("a network this wide contains clients, who could then claim any address: list only the proxies")
		}
		all = append(all, p.Masked())
	}
	return all, nil
}

// plainName reports whether s is a valid name of a gateway. The name is a part of the URL that its provider calls.
func plainName(s string) bool {
	const most = 64
	return s != "" && len(s) <= most && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
	})
}

// spellOrigins writes the public origins as browsers do, with the host in ASCII and lowercase, so that they equal
// Origin.
func (c *Config) spellOrigins() {
	for _, origin := range []*string{&c.Auth.URL, &c.API.URL} {
		if own, err := httpx.ParseOwn(*origin); err == nil && !strings.HasSuffix(*origin, "/") {
			*origin = own.URL
		}
	}
}

// checkOrigin checks a public URL: only scheme and host. It must be https unless it is on
// this machine, because keys, codes, and cookies are sent to it.
func (c *Config) checkOrigin(p *CheckError, setting, origin string) {
	own, err := httpx.ParseOwn(origin)
	switch {
	case origin == "":
		p.add(setting, "is required: the public origin", "such as https://login.example.com")
	case errors.Is(err, httpx.ErrHost):
		p.add(setting, "the host must be a valid domain name", "each label has 1 to 63 letters, digits, or hyphens")
	case err != nil || own.URL != origin:
		p.add(setting, "must be an origin such as https://login.example.com, without a slash at its end", "")
	case !own.Secure && !own.Loopback() && !c.Insecure:
		p.add(setting, "must be https, because keys and codes are sent to it", "or set insecure: true to allow http on a trusted network")
	}
}

// Loopback reports whether a listen address is only reachable from this machine.
func Loopback(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	return err == nil && httpx.IsLoopback(host)
}
