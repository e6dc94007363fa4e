package devfile

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// EnvName is the file with the variables for programs on this machine that use dev: for `. griot-data/dev.env`, and for
// tools that read such files. It is written at each start.
const EnvName = "dev.env"

// Environment returns the variables of [EnvName]. No value needs quotes.
func (s *State) Environment() []string {
	return []string{
		"GRIOT_AUTH_URL=" + s.AuthURL,
		"GRIOT_CLIENT_ID=" + s.Clients.LiveConfidential.ClientID,
		"GRIOT_CLIENT_SECRET=" + s.Clients.LiveConfidential.ClientSecret,
		"GRIOT_REDIRECT_URI=" + s.Clients.LiveConfidential.RedirectURI,
		"GRIOT_API_URL=" + s.BaseURL,
		"GRIOT_API_KEY=" + s.Accounts.Business.LiveKey,
		"GRIOT_WEBHOOK_SECRET=" + s.Accounts.Business.WebhookSecret,
	}
}

// SaveEnvironment writes the variables atomically, readable only by their owner.
func (s *State) SaveEnvironment(folder string) error {
	path := filepath.Join(folder, EnvName)
	text := fmt.Sprintf("# To use this griot dev from another program: set -a; . %s; set +a\n%s\n", path, strings.Join(s.Environment(), "\n"))
	return replace(path, []byte(text))
}

// replace replaces a file atomically. Only its owner can read it.
func replace(path string, b []byte) error {
	next := path + ".new"
	if err := os.WriteFile(next, b, 0o600); err != nil {
		return err
	}
	return os.Rename(next, path)
}
