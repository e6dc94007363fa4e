package httpcall

import (
	"cmp"
	"time"

	"example.com/griot/gateway/internal/setting"
)

// Settings are those that every HTTP driver has. A driver embeds them in its own, by themselves or within [APISettings] or
// [ServerSettings]. Their Client method sets defaults, checks the values, and returns the driver's client.
type Settings struct {
	CAFile         string `json:"ca_file"`
	ConnectTimeout int    `json:"connect_timeout"` // seconds, for TCP and TLS; 10
	SendTimeout    int    `json:"send_timeout"`    // seconds, for a whole call; 30
}

// APISettings are those of drivers for the API of one provider.
type APISettings struct {
	Settings
	BaseURL string `json:"base_url"`
	Pool    int    `json:"pool"` // connections that may be open at once
}

// ServerSettings are those of drivers for a server of the operator's choice.
type ServerSettings struct {
	Settings
	URL            string `json:"url"`
	AllowPlaintext bool   `json:"allow_plaintext"`
}

// Client returns a client with the timeouts and authorities of the settings; the rest of o is as given.
func (s *Settings) Client(o Options) (*Client, error) {
	err := cmp.Or(
		setting.Number("connect_timeout", &s.ConnectTimeout, 10, 1, 600),
		setting.Number("send_timeout", &s.SendTimeout, 30, 1, 600),
	)
	if err != nil {
		return nil, err
	}
	o.Connect, o.Timeout = time.Duration(s.ConnectTimeout)*time.Second, time.Duration(s.SendTimeout)*time.Second
	if o.Authorities, err = setting.Authorities("ca_file", s.CAFile); err != nil {
		return nil, err
	}
	return New(o), nil
}

// Client returns a client of the API, whose address and pool size are the given ones unless the settings name others.
func (s *APISettings) Client(baseURL string, pool int) (*Client, error) {
	var err error
	if s.BaseURL, err = setting.BaseURL("base_url", cmp.Or(s.BaseURL, baseURL), false); err != nil {
		return nil, err
	}
	if err := setting.Number("pool", &s.Pool, pool, 1, 1000); err != nil {
		return nil, err
	}
	return s.Settings.Client(Options{Connections: s.Pool})
}

// Client returns a client of the server at url.
func (s *ServerSettings) Client(o Options) (*Client, error) {
	var err error
	if s.URL, err = setting.BaseURL("url", s.URL, s.AllowPlaintext); err != nil {
		return nil, err
	}
	return s.Settings.Client(o)
}
