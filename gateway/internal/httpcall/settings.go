package httpcall

import (
	"cmp"
	"time"

	"example.com/griot/gateway/internal/setting"
)

// Settings are the settings of every HTTP driver. A driver embeds them in its own, directly or within [APISettings]
// or [ServerSettings]. Their Client method sets defaults, checks the values, and returns the driver's client.
type Settings struct {
	CAFile         string `json:"ca_file"`
	ConnectTimeout int    `json:"connect_timeout"` // in seconds, for TCP and TLS; default 10
	SendTimeout    int    `json:"send_timeout"`    // in seconds, for a whole call; default 30
}

// APISettings are the settings of drivers for the API of one provider.
type APISettings struct {
	Settings
	BaseURL string `json:"base_url"`
	Pool    int    `json:"pool"` // maximum number of open connections
}

// ServerSettings are the settings of drivers for a server that the operator chooses.
type ServerSettings struct {
	Settings
	URL            string `json:"url"`
	AllowPlaintext bool   `json:"allow_plaintext"`
}

// Client returns a client with the timeouts and authorities of the settings. The other fields of o are unchanged.
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

// Client returns a client of the API, with the given URL and pool size unless the settings override them.
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
