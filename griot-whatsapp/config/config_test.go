package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/griot/griot-whatsapp/config"
)

const secret = "a-secret-of-at-least-32-characters"

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "griot-whatsapp.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func none(string) string { return "" }

func TestLoad(t *testing.T) {
	file := write(t, "\ufeff"+secret+"\r\n")
	c, err := config.Load(write(t, "griot: https://api.example.com/gateways/whatsapp/\nstore: /var/lib/griot/whatsapp.db\nkeys: [{id: k1, secret_file: "+file+"}]\npace: {sender: 1, pair: 2}\n"), none)
	if err != nil {
		t.Fatal(err)
	}
	if c.Griot != "https://api.example.com/gateways/whatsapp" || c.MasterKeyFile != "/var/lib/griot/master.key" || c.Pace.Pair != 2 || c.Listen != "127.0.0.1:9091" || c.Deduplicates || c.FirstContact || c.Metrics.Listen != "" {
		t.Errorf("the settings are %+v, want those of the file and the defaults", c)
	}
	if keys, err := c.Signing(); err != nil || len(keys) != 1 || keys[0].Secret != secret {
		t.Errorf("the keys are %v, %v, want the file's", keys, err)
	}
	c, err = config.Load("", func(name string) string {
		return map[string]string{"GRIOT_WHATSAPP_STORE": "postgres://db/griot", "GRIOT_WHATSAPP_SECRET_FILE": file, "GRIOT_WHATSAPP_GRIOT": "http://127.0.0.1:8080/gateways/w", "GRIOT_WHATSAPP_METRICS_LISTEN": "127.0.0.1:9092"}[name]
	})
	if err != nil || c.Store != "postgres://db/griot" || c.MasterKeyFile != "master.key" || c.Metrics.Listen != "127.0.0.1:9092" {
		t.Errorf("from the environment: %+v, %v, want its store and its metrics", c, err)
	}
	if _, err := c.Signing(); err != nil {
		t.Errorf("the keys of the environment: %v", err)
	}
}

func TestLoad_Refuses(t *testing.T) {
	for text, want := range map[string]string{
		"grot: x":            "grot",
		"pace: {sender: -1}": "pace",
		"spool: {events: 0}": "spool",
	} {
		if _, err := config.Load(write(t, text), none); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error about %s", text, err, want)
		}
	}
	for text, want := range map[string]string{
		"keys: [{id: k1, secret: " + secret + "}]":                                         "griot",
		"griot: http://api.example.com/x\nkeys: [{id: k1, secret: " + secret + "}]":        "allow_plaintext",
		"griot: https://api.example.com/x":                                                 "keys",
		"griot: https://api.example.com/x\nkeys: [{id: k1, secret: short}]":                "keys[0]",
		"griot: https://api.example.com/x\nkeys: [{id: k 1, secret: " + secret + "}]":      "keys[0]",
		"griot: https://api.example.com/x\nkeys: [{id: k1, secret_file: /no/such/secret}]": "/no/such/secret",
	} {
		c, err := config.Load(write(t, text), none)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Signing(); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: %v, want an error about %s", text, err, want)
		}
	}
}
