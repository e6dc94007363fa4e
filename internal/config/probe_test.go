package config_test

import (
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/config"
)

func TestLoad_Probe(t *testing.T) {
	load := func(settings ...string) (*config.Config, error) {
		return config.Load("", append(settings, "GRIOT_MASTER_KEY="+probeKey, "GRIOT_AUTH_URL=https://login.example.com", "GRIOT_API_URL=https://api.example.com"))
	}
	t.Chdir(t.TempDir())
	c, err := load()
	if err != nil || c.Probe.Listen != "" || c.DrainDelay != 0 {
		t.Errorf("by default: %q, %v, %v; want none and no delay", c.Probe.Listen, c.DrainDelay, err)
	}
	c, err = load("GRIOT_PROBE_LISTEN=:9090", "GRIOT_DRAIN_DELAY=15s")
	if err != nil || c.Probe.Listen != ":9090" || c.DrainDelay != 15*time.Second {
		t.Errorf("got %q, %v, %v", c.Probe.Listen, c.DrainDelay, err)
	}
	for setting, names := range map[string]string{"GRIOT_PROBE_LISTEN=9090": "probe.listen", "GRIOT_DRAIN_DELAY=-1s": "drain_delay", "GRIOT_DRAIN_DELAY=6m": "drain_delay"} {
		if _, err := load(setting); err == nil || !strings.Contains(err.Error(), names) {
			t.Errorf("%s: %v, want an error that names %s", setting, err, names)
		}
	}
}

const probeKey = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
