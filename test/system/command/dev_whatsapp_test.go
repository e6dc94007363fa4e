package command_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/griot/test/system/systemtest"
)

// Without griot-whatsapp on the PATH, dev continues with the same wiring, and shows how to build and start it. The case
// with the program is tested in its module.
func TestDev_WithWhatsApp_WithoutTheProgram(t *testing.T) {
	t.Setenv("PATH", "")
	dir := t.TempDir()
	p := systemtest.StartDev(t, dir, "--with-whatsapp=+22376543210", "--whatsapp-listen", "127.0.0.1:0", "--phones", "memory")
	folder := filepath.Join(dir, "whatsapp")
	for _, want := range []string{"cd griot-whatsapp && go build -o ../bin/griot-whatsapp ./cmd/griot-whatsapp", "bin/griot-whatsapp serve --config " + filepath.Join(folder, "griot-whatsapp.yaml"), "22376543210 is a sender of the demo business account"} {
		if !strings.Contains(p.Out.String(), want) {
			t.Errorf("the banner has no %q:\n%s", want, p.Out)
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
	if r := p.Call("GET", p.BaseURL+"/api/senders", "", "X-API-Key: "+p.Accounts.Business.LiveKey); !strings.Contains(r.Raw, "22376543210") {
		t.Errorf("the account's senders are %s, want the number among them", r.Raw)
	}
	// WhatsApp knows this number, and the virtual phones can't write to it.
	if page := p.Call("GET", p.AuthURL+"/waiting.html", "").Raw; !strings.Contains(page, `id="whatsapp"`) || !strings.Contains(page, `id="qr"`) || strings.Contains(page, `id="phones"`) {
		t.Error("the waiting page of a linked number doesn't lead to WhatsApp alone")
	}
	p.Stop()

	again := systemtest.StartDev(t, dir, "--with-whatsapp", "--whatsapp-listen", "127.0.0.1:0", "--phones", "memory")
	if now, err := os.ReadFile(filepath.Join(folder, "griot.secret")); err != nil || string(now) != string(secret) {
		t.Errorf("the secret is another after a restart, %v", err)
	}
	if again.LinkedNumber != "22376543210" || len(again.Accounts.Business.Senders) != len(p.Accounts.Business.Senders) {
		t.Errorf("after a restart the number is %q and there are %d senders, want those of before", again.LinkedNumber, len(again.Accounts.Business.Senders))
	}
	again.Stop()
	without := systemtest.StartDev(t, dir, "--phones", "memory")
	if without.ReceiverPhoneID != "22370000099" || strings.Contains(without.Out.String(), "Linked WhatsApp") {
		t.Errorf("without the flag the receiver is %s, want the virtual one:\n%s", without.ReceiverPhoneID, without.Out)
	}
	if page := without.Call("GET", without.AuthURL+"/waiting.html", "").Raw; strings.Contains(page, `id="whatsapp"`) || strings.Contains(page, `id="qr"`) || !strings.Contains(page, `id="phones"`) {
		t.Error("the waiting page of a virtual number leads to WhatsApp, which doesn't know it")
	}
}
