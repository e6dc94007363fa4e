package main

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/griot/cmd/griot/devfile"
)

// Without griot-whatsapp on the PATH dev goes on, wired as with it, and says how to build and start it. The whole, with the
// program, is a test of its module.
func TestDev_WithWhatsApp_WithoutTheProgram(t *testing.T) {
	t.Setenv("PATH", "")
	dir := t.TempDir()
	p := startDev(t, dir, "--with-whatsapp=+22376543210", "--whatsapp-listen", "127.0.0.1:0", "--phones", "memory")
	folder := filepath.Join(dir, "whatsapp")
	for _, want := range []string{"go build -o ../../bin/griot-whatsapp ./cmd/griot-whatsapp", "bin/griot-whatsapp serve --config " + filepath.Join(folder, "griot-whatsapp.yaml"), "22376543210 is a sender of the demo business account"} {
		if !strings.Contains(p.out.String(), want) {
			t.Errorf("the banner has no %q:\n%s", want, p.out)
		}
	}
	secret, err := os.ReadFile(filepath.Join(folder, "griot.secret"))
	if err != nil || len(secret) < 33 {
		t.Fatalf("the secret has %d bytes, %v, want at least 33", len(secret), err)
	}
	for _, name := range []string{"griot.secret", "griot-whatsapp.yaml"} {
		if info, err := os.Stat(filepath.Join(folder, name)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v, want it for its owner only", name, info, err)
		}
	}
	config, err := os.ReadFile(filepath.Join(folder, "griot-whatsapp.yaml"))
	if want := `griot: "` + p.BaseURL + `/gateways/linked"`; err != nil || !strings.Contains(string(config), want) || strings.Contains(string(config), strings.TrimSpace(string(secret))) {
		t.Errorf("the settings are %s, %v, want %s and no secret in it", config, err, want)
	}
	if p.ReceiverPhoneID != "linked" || p.LinkedNumber != "22376543210" {
		t.Errorf("dev.json names the receiver %s and the number %s, want linked and ours", p.ReceiverPhoneID, p.LinkedNumber)
	}
	if r := p.call("GET", p.BaseURL+"/api/senders", "", "X-API-Key: "+p.Accounts.Business.LiveKey); !strings.Contains(r.raw, "22376543210") {
		t.Errorf("the account's senders are %s, want the number among them", r.raw)
	}
	p.stop()

	again := startDev(t, dir, "--with-whatsapp", "--whatsapp-listen", "127.0.0.1:0", "--phones", "memory")
	if now, err := os.ReadFile(filepath.Join(folder, "griot.secret")); err != nil || string(now) != string(secret) {
		t.Errorf("the secret is another after a restart, %v", err)
	}
	if again.LinkedNumber != "22376543210" || len(again.Accounts.Business.Senders) != len(p.Accounts.Business.Senders) {
		t.Errorf("after a restart the number is %q and there are %d senders, want those of before", again.LinkedNumber, len(again.Accounts.Business.Senders))
	}
	again.stop()
	without := startDev(t, dir, "--phones", "memory")
	if without.ReceiverPhoneID != "22370000099" || strings.Contains(without.out.String(), "Linked WhatsApp") {
		t.Errorf("without the flag the receiver is %s, want the virtual one:\n%s", without.ReceiverPhoneID, without.out)
	}
}

func TestPrepareLinked_Refuses(t *testing.T) {
	for name, o := range map[string]devOptions{
		"another number":    {WithWhatsApp: "0612", WhatsAppListen: "127.0.0.1:0"},
		"another machine's": {WithWhatsApp: withoutNumber, WhatsAppListen: "192.0.2.1:9091"},
	} {
		o.Data = t.TempDir()
		if l, err := prepareLinked(t.Context(), &o, &devfile.State{BaseURL: "http://127.0.0.1:8080"}); err == nil {
			t.Errorf("%s: %+v, want an error", name, l)
		}
	}
	l, err := prepareLinked(t.Context(), &devOptions{WithWhatsApp: "false"}, &devfile.State{})
	if l != nil || err != nil {
		t.Errorf("false: %+v, %v, want none", l, err)
	}
	address, err := pickAddress(t.Context(), "127.0.0.1:0")
	if _, port, splitErr := net.SplitHostPort(address); err != nil || splitErr != nil || port == "0" {
		t.Errorf("a free address is %s, %v", address, err)
	}
}
