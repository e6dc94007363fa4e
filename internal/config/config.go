package config

import (
	"encoding/json"
	"slices"
	"time"

	"example.com/griot/internal/connlimit"
	"example.com/griot/internal/limit"
)

// Config is the complete configuration of a deployment.
type Config struct {
	Database      string           `yaml:"database" env:"DATABASE"`                                 // sqlite:PATH or postgres://…
	MasterKey     string           `yaml:"master_key" env:"MASTER_KEY"`                             // 32 bytes in base64
	MasterKeyFile string           `yaml:"master_key_file" env:"MASTER_KEY_FILE"`                   // a file that contains it
	KeyBeforeFile string           `yaml:"master_key_previous_file" env:"MASTER_KEY_PREVIOUS_FILE"` // a file that contains the previous key during a rotation
	KeyAnyMode    bool             `yaml:"master_key_any_mode" env:"MASTER_KEY_ANY_MODE"`           // accept a master key that other users can read
	Insecure      bool             `yaml:"insecure" env:"INSECURE"`                                 // accept public addresses with http
	Roles         []string         `yaml:"roles" env:"ROLES"`                                       // auth, api, gateway, worker
	RateLimits    bool             `yaml:"rate_limits" env:"RATE_LIMITS"`                           // enforce request rates
	Sandbox       bool             `yaml:"sandbox" env:"SANDBOX"`                                   // simulate every message; SVC_SANDBOX=1 does the same
	Plans         string           `yaml:"plans" env:"PLANS"`                                       // on, or off: no limits, and the inbox for everyone
	Signup        string           `yaml:"signup" env:"SIGNUP"`                                     // self-service sign-up: closed, invite, open
	SendWait      time.Duration    `yaml:"send_wait" env:"SEND_WAIT"`                               // how long /api/send waits for the gateway
	UnknownWait   time.Duration    `yaml:"unknown_wait" env:"UNKNOWN_WAIT"`                         // how long a receipt can still decide an unknown outcome
	UnderWay      int64            `yaml:"under_way" env:"UNDER_WAY"`                               // maximum number of messages in flight; 0: no limit
	Auth          Auth             `yaml:"auth" envPrefix:"AUTH_"`                                  // login by message
	Media         Media            `yaml:"media" envPrefix:"MEDIA_"`                                // attachments of inbound messages
	Retention     Retention        `yaml:"retention" envPrefix:"RETENTION_"`                        // retention of stored data
	API           API              `yaml:"api" envPrefix:"API_"`                                    // messaging
	Operator      Operator         `yaml:"operator" envPrefix:"OPERATOR_"`                          // the operator named by both services
	Proxies       []string         `yaml:"trusted_proxies" env:"TRUSTED_PROXIES"`                   // addresses and networks whose X-Forwarded-For is trusted
	TLS           TLS              `yaml:"tls" envPrefix:"TLS_"`                                    // of the two public services, if no proxy terminates TLS
	Internal      Internal         `yaml:"internal" envPrefix:"INTERNAL_"`                          // for this machine only
	Connections   connlimit.Limits `yaml:"connections" envPrefix:"CONNECTIONS_"`                    // limits of open connections
	Probe         Probe            `yaml:"probe" envPrefix:"PROBE_"`                                // for supervisors of the process
	DrainDelay    time.Duration    `yaml:"drain_delay" env:"DRAIN_DELAY"`                           // between the failure of /readyz and the closing of the listeners
	Limits        limit.Settings   `yaml:"limits" envPrefix:"LIMITS_"`                              // the limits that RateLimits enforces
	OTP           OTP              `yaml:"otp" envPrefix:"OTP_"`                                    // one-time codes: guards against pumping
	Log           Log              `yaml:"log" envPrefix:"LOG_"`                                    //
	Email         Email            `yaml:"email" envPrefix:"EMAIL_"`                                // the sender that every account can use
	Webhooks      Webhooks         `yaml:"webhooks" envPrefix:"WEBHOOKS_"`                          // events of both services
	Billing       Billing          `yaml:"billing" envPrefix:"BILLING_"`                            // payments for plans
	Gateways      []Gateway        `yaml:"gateways" env:"-"`                                        // gateways that deliver messages

	MasterKeyBefore string `yaml:"-" env:"-"` // the content of KeyBeforeFile
	MasterKeyShared bool   `yaml:"-" env:"-"` // others can read the master key, and KeyAnyMode accepted it

	Dev Dev `yaml:"-" env:"-"` // of griot dev

	source source
}

// Listener is a public service, with its listen address and its public address.
type Listener struct {
	Listen string `yaml:"listen" env:"LISTEN"`
	URL    string `yaml:"url" env:"URL"`
}

// TLS is the certificate of the public listeners, which SIGHUP reloads. If it is empty, they use http behind a proxy.
type TLS struct {
	Cert string `yaml:"cert" env:"CERT"` // PEM files
	Key  string `yaml:"key" env:"KEY"`
}

// Auth is the configuration of the login service.
type Auth struct {
	Listener      `yaml:",inline"`
	Receivers     []Receiver `yaml:"receivers" env:"-"`
	TermsFile     string     `yaml:"terms_file" env:"TERMS_FILE"`           // a text for /terms, with empty lines between paragraphs
	PrivacyFile   string     `yaml:"privacy_file" env:"PRIVACY_FILE"`       // the same for /privacy
	StateMax      int        `yaml:"state_max" env:"STATE_MAX"`             // maximum length of an application's state, in characters
	AskForNumber  bool       `yaml:"ask_for_number" env:"ASK_FOR_NUMBER"`   // ask people whose number WhatsApp hides for it, by a message that can cost
	ConfirmSignIn bool       `yaml:"confirm_sign_in" env:"CONFIRM_SIGN_IN"` // reply to the message that proved a login, which can cost
	Terms         string     `yaml:"-" env:"-"`                             // content of these files
	Privacy       string     `yaml:"-" env:"-"`
}

// API is the configuration of the messaging service.
type API struct {
	Listener    `yaml:",inline"`
	TermsFile   string `yaml:"terms_file" env:"TERMS_FILE"`     // the same as in Auth, for the service of the accounts
	PrivacyFile string `yaml:"privacy_file" env:"PRIVACY_FILE"` // the same as in Auth

	WhatsAppSignIn WhatsAppSignIn `yaml:"whatsapp_sign_in" envPrefix:"WHATSAPP_SIGN_IN_"`

	Terms   string `yaml:"-" env:"-"` // content of these files
	Privacy string `yaml:"-" env:"-"`
}

// WhatsAppSignIn is the client of the login service for signing in to the dashboard. If it is empty, people can only
// sign in by email.
type WhatsAppSignIn struct {
	ClientID         string `yaml:"client_id" env:"CLIENT_ID"` // of a CONFIDENTIAL client in mode LIVE
	ClientSecret     string `yaml:"client_secret" env:"CLIENT_SECRET"`
	ClientSecretFile string `yaml:"client_secret_file" env:"CLIENT_SECRET_FILE"` // a file that contains it
}

// Receiver is a number to which people send the words of a login.
type Receiver struct {
	PhoneID    string `yaml:"phone_id"`    // the gateway's identifier of the number: receiverPhoneId
	Number     string `yaml:"number"`      // E.164
	Gateway    string `yaml:"gateway"`     // the gateway of the number; empty: only /internal/verify proves its logins
	Secret     string `yaml:"secret"`      // signs /internal/verify
	SecretFile string `yaml:"secret_file"` // a file that contains it
}

// Internal is the listener for this machine: /internal/verify, pprof, the operator's pages, and the endpoints of
// [Probe].
type Internal struct {
	Listen string `yaml:"listen" env:"LISTEN"`
}

// Log is the level and format of the log.
type Log struct {
	Level  string `yaml:"level" env:"LEVEL"`   // debug, info, warn, error
	Format string `yaml:"format" env:"FORMAT"` // json, text
}

// Email is the platform's email sender.
type Email struct {
	Gateway string `yaml:"gateway" env:"GATEWAY"` // the name of one of the gateways
	From    string `yaml:"from" env:"FROM"`
}

// Webhooks are the allowed targets of events, and who sets those of accounts.
type Webhooks struct {
	AllowPrivate   bool     `yaml:"allow_private" env:"ALLOW_PRIVATE"`       // also into private networks
	Allow          []string `yaml:"allow" env:"ALLOW"`                       // also to these origins, with http and at any address
	AccountsSetURL bool     `yaml:"accounts_set_url" env:"ACCOUNTS_SET_URL"` // accounts set their own URL; otherwise only the operator does
}

// Gateway is one connection to a provider that delivers messages.
type Gateway struct {
	Name     string         `yaml:"name"`
	Kind     string         `yaml:"kind"`
	Settings map[string]any `yaml:"settings"`
}

// JSON returns the settings in the format of their driver.
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

// HasRole reports whether the process has a role. A process without roles only executes an operator's command.
func (c *Config) HasRole(role string) bool { return slices.Contains(c.Roles, role) }

// AccountsDashboard returns the address of the accounts' dashboard; empty if the messaging service has no address here.
func (c *Config) AccountsDashboard() string { return dashboardOf(c.API.URL) }

// TenantsDashboard returns the address of the tenants' dashboard; empty if the login service has no address here.
func (c *Config) TenantsDashboard() string { return dashboardOf(c.Auth.URL) }

func dashboardOf(service string) string {
	if service == "" {
		return ""
	}
	return service + "/dashboard"
}

// ActiveLimits returns the rate limits, or nil if rate_limits is off.
func (c *Config) ActiveLimits() *limit.Settings {
	if !c.RateLimits {
		return nil
	}
	return &c.Limits
}

// Default returns the default settings.
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
