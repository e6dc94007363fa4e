package smpp

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
)

func TestOpen_Refuses(t *testing.T) {
	t.Parallel()
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, []byte("\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, members := range map[string]map[string]any{
		"settings: host must":                                {"host": ""},
		"settings: host must be":                             {"host": "a b"},
		"hostname is no setting":                             {"hostname": "x"},
		"settings: tls must be one of":                       {"tls": "starttls"},
		"settings: tls can be none only":                     {"host": "smsc.example.com"},
		"settings: allow_plaintext goes":                     {"tls": "implicit", "allow_plaintext": true},
		"settings: ca_file has no use":                       {"ca_file": "ca.pem"},
		"settings: ca_file: ":                                {"tls": "implicit", "ca_file": "/nonexistent"},
		"settings: ca_file holds no":                         {"tls": "implicit", "ca_file": empty},
		"settings: system_id must":                           {"system_id": ""},
		"settings: system_id must have":                      {"system_id": "sixteen-letters!"},
		"settings: password and password_file ex":            {"password_file": empty},
		"settings: password or password_file is":             {"password": ""},
		"settings: password_file is empty":                   {"password": "", "password_file": empty},
		"settings: password_file: ":                          {"password": "", "password_file": "/nonexistent"},
		"settings: password has more than 64":                {"password": strings.Repeat("s", 65)},
		"settings: password has more than":                   {"password": "s\x00s"},
		"settings: system_type has":                          {"system_type": "thirteen-char"},
		"settings: service_type has":                         {"service_type": "sixsix"},
		"settings: country_code must":                        {"country_code": "+223"},
		"settings: country_code must be":                     {"country_code": "0223"},
		"settings: country_code must be a":                   {"country_code": "999"},
		"settings: opted_out[1] must be a status":            {"opted_out": []string{"0x455", "0x"}},
		"settings: opted_out[0] must be a":                   {"opted_out": []string{"REJECTD"}},
		"settings: opted_out[0] must be":                     {"opted_out": []string{"REJECTD 000"}},
		"opted_out[0] must be a status, such":                {"opted_out": []string{"DELIVRD 1037"}},
		"opted_out[0] must be a status, such as":             {"opted_out": []string{"REJECTD 10 37"}},
		"opted_out[0] must be a status, such as 0x00000455,": {"opted_out": []string{"0x00000455 1037"}},
		"opted_out[0] must be a status, such as 0x00000455":  {"opted_out": []string{"0x100000455"}},
		"settings: opted_out[0] is a status that isn't":      {"opted_out": []string{"0x58"}},
		"settings: opted_out[0] is a status that":            {"opted_out": []string{"0x00000000"}},
		"settings: opted_out[0] is a status":                 {"opted_out": []string{"0x0d"}},
		"settings: alphabet must be one of gsm":              {"alphabet": "utf8"},
		"settings: long_messages must be one of":             {"long_messages": "sar"},
		"settings: validity must be one of":                  {"validity": "5m"},
		"settings: ack_id must be one of":                    {"ack_id": "octal"},
		"settings: receipt_id must be one of":                {"receipt_id": "octal"},
		"settings: ack_id and receipt_id are both":           {"receipt_id": "hex"},
		"settings: port must be from 1":                      {"port": 65536},
		"settings: window must be from 1 to 1000":            {"window": 1001},
		"settings: messages_per_second must be":              {"messages_per_second": -1},
		"settings: connect_timeout must be":                  {"connect_timeout": -1},
		"settings: response_timeout must be":                 {"response_timeout": 601},
		"settings: enquire_interval must be":                 {"enquire_interval": 3601},
		"source_ton":                                         {"source_ton": 256},
	} {
		_, err := Open(settingsFor(2775, members), gatewaytest.NewEnvironment().Deps())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", members, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "kora21cd") {
			t.Errorf("the error repeats the password: %v", err)
		}
	}
	for _, raw := range []string{"", "[]", `{"host":"127.0.0.1"} {}`, "null"} {
		if _, err := Open(json.RawMessage(raw), gatewaytest.NewEnvironment().Deps()); err == nil {
			t.Errorf("%q is taken", raw)
		}
	}
}

func TestOpen_Defaults(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]int{
		`{"host":"smsc.example.com","system_id":"a","password":"b"}`:                                     3550,
		`{"host":"smsc.example.com","tls":"none","allow_plaintext":true,"system_id":"a","password":"b"}`: 2775,
	} {
		s, err := parse(json.RawMessage(raw))
		if err != nil || s.Port != want || s.Window != 10 || !s.wantsReceipts() || s.ReceiptID != "text" {
			t.Errorf("%+v, %v", s, err)
		}
	}
}

func TestInfo(t *testing.T) {
	t.Parallel()
	plain := open(t, settingsFor(2775, nil)).Info()
	if !plain.Receipts || plain.Deduplicates || plain.Media || plain.Transliterates || plain.Pace != (gateway.Pace{}) || plain.Window != 10 {
		t.Errorf("%+v", plain)
	}
	other := open(t, settingsFor(2775, map[string]any{"receipts": false, "messages_per_second": 20, "transliterate": true, "window": 3})).Info()
	if other.Receipts || !other.Transliterates || other.Pace != (gateway.Pace{Sender: 50 * time.Millisecond, Burst: 1}) || other.Window != 3 {
		t.Errorf("%+v", other)
	}
}
