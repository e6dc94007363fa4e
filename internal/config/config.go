package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/caarlos0/env/v11"
	"go.yaml.in/yaml/v3"

	"griot/internal/httpx"
	"griot/internal/limit"
	"griot/internal/phone"
	"griot/internal/seal"
)

// Config is everything that an operator decides.
type Config struct {
	Database      string         `yaml:"database" env:"DATABASE"`                       // sqlite:PATH or postgres://…
	MasterKey     string         `yaml:"master_key" env:"MASTER_KEY"`                   // 32 bytes in base64
	MasterKeyFile string         `yaml:"master_key_file" env:"MASTER_KEY_FILE"`         // a file that holds it
	KeyAnyMode    bool           `yaml:"master_key_any_mode" env:"MASTER_KEY_ANY_MODE"` // take a master key that others can read
	Insecure      bool           `yaml:"insecure" env:"INSECURE"`                       // take public addresses by http
	Roles         []string       `yaml:"roles" env:"ROLES"`                             // auth, api, gateway, worker
	RateLimits    bool           `yaml:"rate_limits" env:"RATE_LIMITS"`                 // hold request rates
	Sandbox       bool           `yaml:"sandbox" env:"SANDBOX"`                         // simulate every message; SVC_SANDBOX=1 does too
	Plans         string         `yaml:"plans" env:"PLANS"`                             // on, or off: no limits, and the inbox for everyone
	Signup        string         `yaml:"signup" env:"SIGNUP"`                           // who makes accounts by themselves: closed, invite, open
	SendWait      time.Duration  `yaml:"send_wait" env:"SEND_WAIT"`                     // how long /api/send waits for the gateway
	UnknownWait   time.Duration  `yaml:"unknown_wait" env:"UNKNOWN_WAIT"`               // how long a receipt may still decide an unknown outcome
	UnderWay      int64          `yaml:"under_way" env:"UNDER_WAY"`                     // messages that may be on their way at once; 0 is no bound
	Auth          Auth           `yaml:"auth" envPrefix:"AUTH_"`                        // login by message
	Media         Media          `yaml:"media" envPrefix:"MEDIA_"`                      // what people attach to their messages
	API           API            `yaml:"api" envPrefix:"API_"`                          // messaging
	Operator      Operator       `yaml:"operator" envPrefix:"OPERATOR_"`                // who answers for both services
	Proxies       []string       `yaml:"trusted_proxies" env:"TRUSTED_PROXIES"`         // addresses and networks whose X-Forwarded-For is believed
	Internal      Internal       `yaml:"internal" envPrefix:"INTERNAL_"`                // for this machine only
	Limits        limit.Settings `yaml:"limits" envPrefix:"LIMITS_"`                    // what RateLimits holds
	OTP           OTP            `yaml:"otp" envPrefix:"OTP_"`                          // one-time codes: guards against pumping
	Log           Log            `yaml:"log" envPrefix:"LOG_"`                          //
	Email         Email          `yaml:"email" envPrefix:"EMAIL_"`                      // the address that every account may send from
	Webhooks      Webhooks       `yaml:"webhooks" envPrefix:"WEBHOOKS_"`                // where events may go
	Billing       Billing        `yaml:"billing" envPrefix:"BILLING_"`                  // how accounts pay for their plans
	Gateways      []Gateway      `yaml:"gateways" env:"-"`                              // what delivers messages

	MasterKeyShared bool `yaml:"-" env:"-"` // others can read the master key, and KeyAnyMode took it
}

// Listener is a public service: where it listens, and the address by which the world knows it.
type Listener struct {
	Listen string `yaml:"listen" env:"LISTEN"`
	URL    string `yaml:"url" env:"URL"`
}

// Auth is the login service.
type Auth struct {
	Listener    `yaml:",inline"`
	Receivers   []Receiver `yaml:"receivers" env:"-"`
	TermsFile   string     `yaml:"terms_file" env:"TERMS_FILE"`     // a text for /terms, with empty lines between paragraphs
	PrivacyFile string     `yaml:"privacy_file" env:"PRIVACY_FILE"` // the same for /privacy
	StateMax    int        `yaml:"state_max" env:"STATE_MAX"`       // the longest state of an application, in characters
	Terms       string     `yaml:"-" env:"-"`                       // what is in these files
	Privacy     string     `yaml:"-" env:"-"`
}

// API is the messaging service.
type API struct {
	Listener    `yaml:",inline"`
	TermsFile   string `yaml:"terms_file" env:"TERMS_FILE"`     // as Auth's, for the accounts' service
	PrivacyFile string `yaml:"privacy_file" env:"PRIVACY_FILE"` // as Auth's

	WhatsAppSignIn WhatsAppSignIn `yaml:"whatsapp_sign_in" envPrefix:"WHATSAPP_SIGN_IN_"`

	Terms   string `yaml:"-" env:"-"` // what is in these files
	Privacy string `yaml:"-" env:"-"`
}

// WhatsAppSignIn is the client of the login service by which people sign in to the dashboard; empty: they do by e-mail only.
type WhatsAppSignIn struct {
	ClientID         string `yaml:"client_id" env:"CLIENT_ID"` // of a CONFIDENTIAL client in mode LIVE
	ClientSecret     string `yaml:"client_secret" env:"CLIENT_SECRET"`
	ClientSecretFile string `yaml:"client_secret_file" env:"CLIENT_SECRET_FILE"` // a file that holds it
}

// Receiver is a number to which people send the words of a login.
type Receiver struct {
	PhoneID    string `yaml:"phone_id"`    // the gateway's name for it: receiverPhoneId
	Number     string `yaml:"number"`      // E.164
	Gateway    string `yaml:"gateway"`     // on which it lives; empty: only /internal/verify proves its logins
	Secret     string `yaml:"secret"`      // signs /internal/verify
	SecretFile string `yaml:"secret_file"` // a file that holds it
}

// Internal is the listener for this machine: /internal/verify, /readyz, pprof.
type Internal struct {
	Listen string `yaml:"listen" env:"LISTEN"`
}

// Log is how much is logged, and how.
type Log struct {
	Level  string `yaml:"level" env:"LEVEL"`   // debug, info, warn, error
	Format string `yaml:"format" env:"FORMAT"` // json, text
}

// Email is the platform's e-mail sender.
type Email struct {
	Gateway string `yaml:"gateway" env:"GATEWAY"` // the name of one of the gateways
	From    string `yaml:"from" env:"FROM"`
}

// Webhooks is where events may go.
type Webhooks struct {
	AllowPrivate bool `yaml:"allow_private" env:"ALLOW_PRIVATE"` // into private networks too
}

// Gateway is one connection to a provider that delivers messages.
type Gateway struct {
	Name     string         `yaml:"name"`
	Kind     string         `yaml:"kind"`
	Settings map[string]any `yaml:"settings"`
}

// JSON returns the settings as their driver reads them.
func (g *Gateway) JSON() (json.RawMessage, error) {
	if g.Settings == nil {
		return json.RawMessage("{}"), nil
	}
	return json.Marshal(g.Settings)
}

// The roles of a process.
const (
	RoleAuth    = "auth"
	RoleAPI     = "api"
	RoleGateway = "gateway"
	RoleWorker  = "worker"
)

// Roles lists all roles.
func Roles() []string { return []string{RoleAuth, RoleAPI, RoleGateway, RoleWorker} }

// Default returns the settings before anything is read.
func Default() *Config {
	return &Config{
		Database: "sqlite:griot.db", Roles: Roles(), RateLimits: true, Plans: "on", Signup: "closed", SendWait: 3 * time.Second, UnknownWait: time.Minute, UnderWay: 100_000,
		Auth:     Auth{Listener: Listener{Listen: "127.0.0.1:8081"}, StateMax: minStateMax},
		API:      API{Listener: Listener{Listen: "127.0.0.1:8080"}},
		Media:    Media{MaxSize: maxMediaSize, AccountSize: 1 << 30},
		Internal: Internal{Listen: "127.0.0.1:8082"},
		Limits:   limit.Defaults(),
		OTP:      OTP{PrefixDigits: 7, PrefixHourly: 500, CountryHourly: 10_000, AccountPercent: 10, BreakerSample: 100, BreakerVerified: 10, BreakerBlock: time.Hour},
		Log:      Log{Level: "info", Format: "json"},
		Billing:  Billing{Provider: BillingManual},
	}
}

// Load reads the file (if path is empty, griot.yaml where there is one) and the
// variables of environ ("NAME=value"), and checks the whole.
func Load(path string, environ []string) (*Config, error) {
	c := Default()
	file, optional := path, path == ""
	if optional {
		file = "griot.yaml"
	}
	b, err := os.ReadFile(file)
	switch {
	case optional && errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, fmt.Errorf("config: %w", err)
	default:
		if err := c.parse(b); err != nil {
			return nil, fmt.Errorf("config: %s: %w", file, err)
		}
	}
	key := c.MasterKey
	vars := env.ToMap(environ)
	if err := env.ParseWithOptions(c, env.Options{Prefix: "GRIOT_", Environment: vars}); err != nil {
		return nil, fmt.Errorf("config: %w", err)
	}
	c.Sandbox = c.Sandbox || vars["SVC_SANDBOX"] == "1" // works without the prefix too
	if c.MasterKey != key {
		file = "" // the key is a variable's
	}
	if err := errors.Join(c.readMasterKey(file, vars["CREDENTIALS_DIRECTORY"]), c.readFiles()); err != nil {
		return nil, fmt.Errorf("config: %w", err)
	}
	return c, c.check()
}

// parse reads YAML over what is there.
func (c *Config) parse(b []byte) error {
	d := yaml.NewDecoder(bytes.NewReader(b))
	d.KnownFields(true)
	if err := d.Decode(c); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// readFiles reads what has a file of its own.
func (c *Config) readFiles() error {
	files := []struct{ value, file *string }{
		{&c.Auth.Terms, &c.Auth.TermsFile},
		{&c.Auth.Privacy, &c.Auth.PrivacyFile},
		{&c.API.Terms, &c.API.TermsFile},
		{&c.API.Privacy, &c.API.PrivacyFile},
		{&c.API.WhatsAppSignIn.ClientSecret, &c.API.WhatsAppSignIn.ClientSecretFile},
		{&c.Billing.Stripe.SecretKey, &c.Billing.Stripe.SecretKeyFile},
		{&c.Billing.Stripe.WebhookSecret, &c.Billing.Stripe.WebhookSecretFile},
	}
	for i := range c.Auth.Receivers {
		files = append(files, struct{ value, file *string }{&c.Auth.Receivers[i].Secret, &c.Auth.Receivers[i].SecretFile})
	}
	for _, s := range files {
		if *s.file == "" {
			continue
		}
		b, err := os.ReadFile(*s.file)
		if err != nil {
			return err
		}
		*s.value = strings.TrimSpace(string(b))
	}
	return nil
}

// check returns everything that is wrong at once, never with a secret in it.
func (c *Config) check() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf("config: "+format, args...)) }
	for _, r := range c.Roles {
		if !slices.Contains(Roles(), r) {
			bad("roles: there are %s", strings.Join(Roles(), ", "))
		}
	}
	if c.UnderWay < 0 {
		bad("under_way: a number of messages, or 0 for no bound")
	}
	if err := c.Media.check(); err != nil {
		errs = append(errs, err)
	}
	if c.Plans != "on" && c.Plans != "off" {
		bad("plans: on or off")
	}
	if err := CheckSignup(c.Signup); err != nil {
		errs = append(errs, err)
	}
	if _, err := seal.ParseKey(c.MasterKey); err != nil {
		bad("master_key: 32 random bytes in base64 (openssl rand -base64 32), best in a file: master_key_file")
	}
	if err := c.origin(c.Auth.URL); err != nil {
		bad("auth.url: %w", err)
	}
	if err := c.origin(c.API.URL); err != nil {
		bad("api.url: %w", err)
	}
	if c.Auth.URL != "" && c.Auth.URL == c.API.URL {
		bad("auth.url and api.url must be two origins")
	}
	if w := c.API.WhatsAppSignIn; (w.ClientID == "") != (w.ClientSecret == "") {
		bad("api.whatsapp_sign_in: needs client_id and a secret, best in a file: client_secret_file")
	}
	if !Loopback(c.Internal.Listen) {
		bad("internal.listen: must be a loopback address: what it serves is for this machine only")
	}
	if _, err := c.TrustedProxies(); err != nil {
		errs = append(errs, err)
	}
	for i, r := range c.Auth.Receivers {
		if _, ok := phone.Parse(r.Number); !ok || r.PhoneID == "" || len(r.Secret) < minSecret {
			bad("auth.receivers[%d]: needs phone_id, an E.164 number and a secret of at least %d characters", i, minSecret)
		}
		if r.Gateway != "" && !plainName(r.Gateway) {
			bad("auth.receivers[%d].gateway: the name of a gateway, made of letters, digits, - and _", i)
		}
	}
	for _, problem := range c.Billing.check(c.Plans) {
		bad("%s", problem)
	}
	errs = append(errs, c.OTP.Check(), c.Limits.Check(), c.Operator.Check(), CheckStateMax(c.Auth.StateMax))
	names := map[string]bool{}
	for i, g := range c.Gateways {
		if !plainName(g.Name) || g.Kind == "" || names[g.Name] {
			bad("gateways[%d]: needs a kind, and a name of its own made of letters, digits, - and _", i)
		}
		names[g.Name] = true
	}
	if c.Email.Gateway != "" && (!names[c.Email.Gateway] || c.Email.From == "") {
		bad("email: needs the name of one of the gateways, and from")
	}
	return errors.Join(errs...)
}

const (
	minSecret   = 32
	minStateMax = 256 // states of this length always work
	maxStateMax = 2048
)

// CheckStateMax refuses a bound on state that a deployment may not have.
func CheckStateMax(n int) error {
	if n < minStateMax || n > maxStateMax {
		return fmt.Errorf("config: auth.state_max: %d to %d characters", minStateMax, maxStateMax)
	}
	return nil
}

// CheckSignup refuses what is no setting of who makes accounts by themselves.
func CheckSignup(s string) error {
	if s != "closed" && s != "invite" && s != "open" {
		return errors.New("config: signup: closed, invite or open")
	}
	return nil
}

// TrustedProxies returns the networks of the proxies in front.
func (c *Config) TrustedProxies() ([]netip.Prefix, error) {
	var all []netip.Prefix
	for _, s := range c.Proxies {
		p, err := netip.ParsePrefix(s)
		if err != nil {
			a, err := netip.ParseAddr(s)
			if err != nil {
				return nil, errors.New("config: trusted_proxies: addresses or networks, such as 10.0.0.7 and 10.0.0.0/8")
			}
			p = netip.PrefixFrom(a, a.BitLen())
		}
		all = append(all, p.Masked())
	}
	return all, nil
}

// plainName: a gateway's name is a part of the address that its provider calls.
func plainName(s string) bool {
	const most = 64
	return s != "" && len(s) <= most && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
	})
}

// origin checks a public URL: scheme and host, nothing behind. Keys, codes and cookies
// go there, so it is https, but on this machine.
func (c *Config) origin(s string) error {
	own, err := httpx.ParseOwn(s)
	if err != nil || own.URL != s {
		return errors.New("must be an origin such as https://login.example.com, without a slash at its end")
	}
	if !own.Secure && !own.Loopback() && !c.Insecure {
		return errors.New("must be https: keys and codes go there (insecure: true takes http, on a network where nobody listens)")
	}
	return nil
}

// Loopback reports whether an address to listen on is reached from this machine only.
func Loopback(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	return err == nil && httpx.IsLoopback(host)
}
