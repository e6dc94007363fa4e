package httpcall

import (
	"strings"
	"testing"
	"time"
)

func TestSettings_Defaults(t *testing.T) {
	t.Parallel()
	api, server := APISettings{}, ServerSettings{URL: "https://gw.test/base/"}
	c, err := api.Client("https://api.test", 16)
	if err != nil || api.BaseURL != "https://api.test" || c.o.Connections != 16 || c.o.Connect != 10*time.Second || c.o.Timeout != 30*time.Second {
		t.Errorf("got %+v, %v; want https://api.test with 16 connections, 10 s, and 30 s", api, err)
	}
	c, err = server.Client(Options{Connections: 8, MaxAnswer: 1 << 10})
	if err != nil || server.URL != "https://gw.test/base" || c.o.Connections != 8 || c.o.MaxAnswer != 1<<10 || c.o.Connect != 10*time.Second || c.o.Timeout != 30*time.Second {
		t.Errorf("got %+v, %v; want https://gw.test/base with 8 connections, 10 s, and 30 s", server, err)
	}
}

func TestSettings_AreUsed(t *testing.T) {
	t.Parallel()
	common := Settings{ConnectTimeout: 2, SendTimeout: 3}
	api, server := APISettings{common, "https://other.test", 5}, ServerSettings{common, "http://gw.test", true}
	c, err := api.Client("https://api.test", 16)
	if err != nil || api.BaseURL != "https://other.test" || c.o.Connections != 5 || c.o.Connect != 2*time.Second || c.o.Timeout != 3*time.Second {
		t.Errorf("got %+v, %v; want https://other.test with 5 connections, 2 s, and 3 s", api, err)
	}
	if c, err = server.Client(Options{}); err != nil || c.o.Connect != 2*time.Second || c.o.Timeout != 3*time.Second {
		t.Errorf("got %v, want a client with 2 s and 3 s", err)
	}
}

func TestSettings_Refuses(t *testing.T) {
	t.Parallel()
	api := func(s APISettings) error {
		_, err := s.Client("https://api.test", 16)
		return err
	}
	server := func(s ServerSettings) error {
		_, err := s.Client(Options{})
		return err
	}
	for _, tt := range []struct {
		err  error
		want string
	}{
		{api(APISettings{BaseURL: "http://api.test"}), "base_url"},
		{api(APISettings{Pool: -1}), "pool"},
		{api(APISettings{Pool: 1001}), "pool"},
		{api(APISettings{Settings: Settings{ConnectTimeout: 601}}), "connect_timeout"},
		{api(APISettings{Settings: Settings{SendTimeout: -1}}), "send_timeout"},
		{api(APISettings{Settings: Settings{CAFile: "/nowhere/ca.pem"}}), "ca_file"},
		{server(ServerSettings{}), "url"},
		{server(ServerSettings{URL: "http://gw.test"}), "url"},
		{server(ServerSettings{URL: "https://gw.test", Settings: Settings{SendTimeout: 601}}), "send_timeout"},
	} {
		if tt.err == nil || !strings.Contains(tt.err.Error(), "settings: "+tt.want) {
			t.Errorf("got %v, want an error about %s", tt.err, tt.want)
		}
	}
}
