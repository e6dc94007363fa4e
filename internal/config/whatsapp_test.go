package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/griot/internal/config"
	"example.com/griot/internal/seal"
)

func TestLoad_WhatsAppSignIn(t *testing.T) {
	key := "GRIOT_MASTER_KEY=" + seal.NewMasterKey()
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("cs_9sXqSECRET\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(write(t, whole), []string{key, "GRIOT_API_WHATSAPP_SIGN_IN_CLIENT_ID=client_1", "GRIOT_API_WHATSAPP_SIGN_IN_CLIENT_SECRET_FILE=" + secret})
	if err != nil || c.API.WhatsAppSignIn.ClientID != "client_1" || c.API.WhatsAppSignIn.ClientSecret != "cs_9sXqSECRET" {
		t.Errorf("got %+v, %v", c.API.WhatsAppSignIn.ClientID, err)
	}
	for _, half := range []string{"GRIOT_API_WHATSAPP_SIGN_IN_CLIENT_ID=client_1", "GRIOT_API_WHATSAPP_SIGN_IN_CLIENT_SECRET=cs_9sXqSECRET"} {
		if _, err := config.Load(write(t, whole), []string{key, half}); err == nil || !strings.Contains(err.Error(), "api.whatsapp_sign_in") || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("with half of it: %v", err)
		}
	}
}
