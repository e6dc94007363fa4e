package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// envFile has what a program on this machine needs to use dev, as variables: for `. griot-data/dev.env`, and for tools that
// read such files. It is written again at each start.
const envFile = "dev.env"

// environment returns the variables of [envFile]. No value needs quotes.
func (s *devState) environment() []string {
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

// saveEnvironment writes the variables in one step, for their owner only.
func (s *devState) saveEnvironment(folder string) error {
	path := filepath.Join(folder, envFile)
	text := fmt.Sprintf("# To use this griot dev from another program: set -a; . %s; set +a\n%s\n", path, strings.Join(s.environment(), "\n"))
	return writeWhole(path, []byte(text))
}

// writeWhole replaces a file in one step; only its owner may read it.
func writeWhole(path string, b []byte) error {
	next := path + ".new"
	if err := os.WriteFile(next, b, 0o600); err != nil {
		return err
	}
	return os.Rename(next, path)
}
