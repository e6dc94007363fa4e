package config

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"example.com/griot/griot-whatsapp/protocol"
)

// Config contains the gateway's settings.
type Config struct {
	Listen         string  `yaml:"listen"`
	TLS            TLS     `yaml:"tls"`
	Griot          string  `yaml:"griot"`
	AllowPlaintext bool    `yaml:"allow_plaintext"`
	Keys           []Key   `yaml:"keys"`
	Store          string  `yaml:"store"`
	MasterKeyFile  string  `yaml:"master_key_file"`
	Deduplicates   bool    `yaml:"deduplicates"`
	FirstContact   bool    `yaml:"first_contact"`
	OwnMessages    bool    `yaml:"own_messages"`
	Pace           Pace    `yaml:"pace"`
	Spool          Spool   `yaml:"spool"`
	Metrics        Metrics `yaml:"metrics"`
}

// Metrics configures the listener for probes and metrics. If the address is empty, there is no listener.
type Metrics struct {
	Listen string `yaml:"listen"`
}

// TLS is the certificate of the gateway's own listener.
type TLS struct {
	CertFile string `yaml:"cert_file"`
	KeyFile  string `yaml:"key_file"`
}

// Key is a key that signs requests.
type Key struct {
	ID         string `yaml:"id"`
	Secret     string `yaml:"secret"`
	SecretFile string `yaml:"secret_file"`
}

// Pace is the pace that the gateway reports to Griot, in milliseconds.
type Pace struct {
	Sender int `yaml:"sender"`
	Pair   int `yaml:"pair"`
	Burst  int `yaml:"burst"`
}

// Spool limits the events that wait for Griot.
type Spool struct {
	Events int `yaml:"events"`
	Bytes  int `yaml:"bytes"`
}

// Load reads the file at path, unless path is "", and the environment variables. The variables override the file.
func Load(path string, env func(string) string) (*Config, error) {
	c := &Config{
		Listen: "127.0.0.1:9091", Store: "whatsapp.db", Pace: Pace{Sender: 4000, Pair: 6000, Burst: 1}, Spool: Spool{Events: 10_000, Bytes: 64 << 20},
	}
	if path != "" {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		decoder := yaml.NewDecoder(bytes.NewReader(text))
		decoder.KnownFields(true)
		if err := decoder.Decode(c); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	for name, setting := range map[string]*string{
		"GRIOT_WHATSAPP_LISTEN": &c.Listen, "GRIOT_WHATSAPP_GRIOT": &c.Griot, "GRIOT_WHATSAPP_STORE": &c.Store, "GRIOT_WHATSAPP_MASTER_KEY_FILE": &c.MasterKeyFile,
		"GRIOT_WHATSAPP_METRICS_LISTEN": &c.Metrics.Listen,
	} {
		if value := env(name); value != "" {
			*setting = value
		}
	}
	if file := env("GRIOT_WHATSAPP_SECRET_FILE"); file != "" {
		c.Keys = []Key{{ID: "k1", SecretFile: file}}
	}
	if c.MasterKeyFile == "" {
		c.MasterKeyFile = "master.key"
		if !strings.Contains(c.Store, "://") {
			c.MasterKeyFile = filepath.Join(filepath.Dir(c.Store), "master.key")
		}
	}
	c.Griot = strings.TrimSuffix(c.Griot, "/")
	if c.Pace.Sender < 0 || c.Pace.Pair < 0 || c.Pace.Burst < 0 || max(c.Pace.Sender, c.Pace.Pair) > 3_600_000 {
		return nil, errors.New("pace: want milliseconds, at most an hour")
	}
	if c.Spool.Events < 1 || c.Spool.Bytes < 1<<20 {
		return nil, errors.New("spool: want at least 1 event and 1048576 bytes")
	}
	return c, nil
}

var keyID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// Signing returns the keys with their secrets. It also checks the settings that only the command serve needs.
func (c *Config) Signing() ([]protocol.Key, error) {
	u, err := url.Parse(c.Griot)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, errors.New("griot: want the address of Griot's API, /gateways/, and the gateway's name, such as https://api.example.com/gateways/whatsapp")
	}
	if u.Scheme == "http" && !c.AllowPlaintext && !isLocal(u.Hostname()) {
		return nil, errors.New("griot: http crosses the network readable: use https, or set allow_plaintext")
	}
	if len(c.Keys) == 0 {
		return nil, errors.New("keys: want at least one, such as [{id: k1, secret_file: griot.secret}]")
	}
	var keys []protocol.Key
	for i, k := range c.Keys {
		secret := k.Secret
		if k.SecretFile != "" {
			text, err := os.ReadFile(k.SecretFile)
			if err != nil {
				return nil, err
			}
			secret = strings.TrimSpace(strings.TrimPrefix(string(text), "\ufeff")) // some editors write a byte order mark
		}
		if !keyID.MatchString(k.ID) || len(secret) < 32 || strings.ContainsAny(secret, " \t\r\n") {
			return nil, fmt.Errorf("keys[%d]: want an id of letters, digits, points, dashes, and underscores, and a secret of at least 32 characters in one word", i)
		}
		keys = append(keys, protocol.Key{ID: k.ID, Secret: secret})
	}
	return keys, nil
}

func isLocal(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
