package config

import (
	"encoding/json"
	"slices"
	"time"

	"example.com/griot/internal/connlimit"
	"example.com/griot/internal/limit"
)

// Config is everything that an operator decides.
type Config struct {
	Database      string           `yaml:"database" env:"DATABASE"`                                 // sqlite:PATH or postgres://…
	MasterKey     string           `yaml:"master_key" env:"MASTER_KEY"`                             // 32 bytes in base64
	MasterKeyFile string           `yaml:"master_key_file" env:"MASTER_KEY_FILE"`                   // a file that holds it
	KeyBeforeFile string           `yaml:"master_key_previous_file" env:"MASTER_KEY_PREVIOUS_FILE"` // a file that holds the one before, while it is rotated
	KeyAnyMode    bool             `yaml:"master_key_any_mode" env:"MASTER_KEY_ANY_MODE"`           // take a master key that others can read
	Insecure      bool             `yaml:"insecure" env:"INSECURE"`                                 // take public addresses by http
	Roles         []string         `yaml:"roles" env:"ROLES"`                                       // auth, api, gateway, worker
	RateLimits    bool             `yaml:"rate_limits" env:"RATE_LIMITS"`                           // hold request rates
	Sandbox       bool             `yaml:"sandbox" env:"SANDBOX"`                                   // simulate every message; SVC_SANDBOX=1 does too
	Plans         string           `yaml:"plans" env:"PLANS"`                                       // on, or off: no limits, and the inbox for everyone
	Signup        string           `yaml:"signup" env:"SIGNUP"`                                     // who makes accounts by themselves: closed, invite, open
	SendWait      time.Duration    `yaml:"send_wait" env:"SEND_WAIT"`                               // how long /api/send waits for the gateway
	UnknownWait   time.Duration    `yaml:"unknown_wait" env:"UNKNOWN_WAIT"`                         // how long a receipt may still decide an unknown outcome
	UnderWay      int64            `yaml:"under_way" env:"UNDER_WAY"`                               // messages that may be on their way at once; 0 is no bound
	Auth          Auth             `yaml:"auth" envPrefix:"AUTH_"`                                  // login by message
	Media         Media            `yaml:"media" envPrefix:"MEDIA_"`                                // what people attach to their messages
	Retention     Retention        `yaml:"retention" envPrefix:"RETENTION_"`                        // how long what is stored is kept
	API           API              `yaml:"api" envPrefix:"API_"`                                    // messaging
	Operator      Operator         `yaml:"operator" envPrefix:"OPERATOR_"`                          // who answers for both services
	Proxies       []string         `yaml:"trusted_proxies" env:"TRUSTED_PROXIES"`                   // addresses and networks whose X-Forwarded-For is believed
	TLS           TLS              `yaml:"tls" envPrefix:"TLS_"`                                    // of the two public services, where no proxy has it
	Internal      Internal         `yaml:"internal" envPrefix:"INTERNAL_"`                          // for this machine only
	Connections   connlimit.Limits `yaml:"connections" envPrefix:"CONNECTIONS_"`                    // how many may be open
	Probe         Probe            `yaml:"probe" envPrefix:"PROBE_"`                                // for those who supervise the process
	DrainDelay    time.Duration    `yaml:"drain_delay" env:"DRAIN_DELAY"`                           // between that /readyz fails and that the listeners close
	Limits        limit.Settings   `yaml:"limits" envPrefix:"LIMITS_"`                              // what RateLimits holds
	OTP           OTP              `yaml:"otp" envPrefix:"OTP_"`                                    // one-time codes: guards against pumping
	Log           Log              `yaml:"log" envPrefix:"LOG_"`                                    //
	Email         Email            `yaml:"email" envPrefix:"EMAIL_"`                                // the address that every account may send from
	Webhooks      Webhooks         `yaml:"webhooks" envPrefix:"WEBHOOKS_"`                          // where events may go
	Billing       Billing          `yaml:"billing" envPrefix:"BILLING_"`                            // how accounts pay for their plans
	Gateways      []Gateway        `yaml:"gateways" env:"-"`                                        // what delivers messages

	MasterKeyBefore string `yaml:"-" env:"-"` // what is in KeyBeforeFile
	MasterKeyShared bool   `yaml:"-" env:"-"` // others can read the master key, and KeyAnyMode took it

	Dev Dev `yaml:"-" env:"-"` // of griot dev

	source source
}

// Listener is a public service: where it listens, and the address by which the world knows it.
type Listener struct {
	Listen string `yaml:"listen" env:"LISTEN"`
	URL    string `yaml:"url" env:"URL"`
}

// TLS is the certificate of the public listeners, which is read again at SIGHUP; empty: they speak http, to a proxy.
type TLS struct {
	Cert string `yaml:"cert" env:"CERT"` // files in PEM
	Key  string `yaml:"key" env:"KEY"`
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

// WhatsAppSignIn is the client of the login service by which people sign in to the dashboard; empty: they do by email only.
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

// Internal is the listener for this machine: /internal/verify, pprof, the operator's pages, and what [Probe] has.
type Internal struct {
	Listen string `yaml:"listen" env:"LISTEN"`
}

// Log is how much is logged, and how.
type Log struct {
	Level  string `yaml:"level" env:"LEVEL"`   // debug, info, warn, error
	Format string `yaml:"format" env:"FORMAT"` // json, text
}

// Email is the platform's email sender.
type Email struct {
	Gateway string `yaml:"gateway" env:"GATEWAY"` // the name of one of the gateways
	From    string `yaml:"from" env:"FROM"`
}

// Webhooks is where events may go.
type Webhooks struct {
	AllowPrivate bool     `yaml:"allow_private" env:"ALLOW_PRIVATE"` // into private networks too
	Allow        []string `yaml:"allow" env:"ALLOW"`                 // to these origins by http too, and wherever they are
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

// HasRole reports whether the process has a role. With none, it only answers an operator's command.
func (c *Config) HasRole(role string) bool { return slices.Contains(c.Roles, role) }

// ActiveLimits returns the rate limits, or nil where rate_limits is off.
func (c *Config) ActiveLimits() *limit.Settings {
	if !c.RateLimits {
		return nil
	}
	return &c.Limits
}

// Default returns the settings before anything is read.
func Default() *Config {
	return &Config{
		Database: "sqlite:griot.db", Roles: Roles(), RateLimits: true, Plans: "on", Signup: "closed", SendWait: 3 * time.Second, UnknownWait: time.Minute, UnderWay: 100_000,
		Auth:        Auth{Listener: Listener{Listen: "127.0.0.1:8081"}, StateMax: minStateMax},
		API:         API{Listener: Listener{Listen: "127.0.0.1:8080"}},
		Media:       Media{MaxSize: maxMediaSize, AccountSize: 1 << 30},
		Retention:   Retention{Messages: 400 * Day, Content: 90 * Day, Events: 30 * Day, Audit: 400 * Day, Inbox: maxInbox},
		Internal:    Internal{Listen: "127.0.0.1:8082"},
		Connections: connlimit.Defaults(),
		Limits:      limit.Defaults(),
		OTP:         OTP{PrefixDigits: 7, PrefixHourly: 500, CountryHourly: 10_000, AccountPercent: 10, BreakerSample: 100, BreakerVerified: 10, BreakerBlock: time.Hour},
		Log:         Log{Level: "info", Format: "json"},
		Billing:     Billing{Provider: BillingManual},
	}
}
