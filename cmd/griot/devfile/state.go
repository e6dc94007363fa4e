// Package devfile reads and writes the files in which griot dev describes itself to other programs: dev.json and dev.env.
package devfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// Folder is the default directory of the data of griot dev.
const Folder = "griot-data"

// Name is the name of the file with the addresses of dev and the demo keys, for tests and tools. Dev itself keeps the
// keys there between runs, because the database only has their hashes.
const Name = "dev.json"

// A State is the content of dev.json.
type State struct {
	AuthURL         string   `json:"authUrl"`
	BaseURL         string   `json:"baseUrl"`
	MCPURL          string   `json:"mcpUrl"`
	InternalURL     string   `json:"internalUrl"`
	GatewaySecret   string   `json:"gatewaySecret"`
	ReceiverPhoneID string   `json:"receiverPhoneId"`
	LinkedNumber    string   `json:"linkedNumber,omitempty"` // of --with-whatsapp
	Tenant          Tenant   `json:"tenant"`
	Clients         Clients  `json:"clients"`
	Accounts        Accounts `json:"accounts"`
	ShowcaseTenant  Tenant   `json:"showcaseTenant,omitzero"`

	Dashboard DashboardClient `json:"dashboardClient"`
}

// A Tenant is a demo tenant, with the key with which its owner signs in.
type Tenant struct {
	ID            string `json:"id"`
	InvitationKey string `json:"invitationKey"`
}

// Clients are the demo OAuth clients.
type Clients struct {
	TestPublic       Client `json:"testPublic"`
	TestConfidential Client `json:"testConfidential"`
	LivePublic       Client `json:"livePublic"`
	LiveConfidential Client `json:"liveConfidential"` // of a site on this machine; see examples/
}

// A Client is a demo OAuth client. A public one has no secret.
type Client struct {
	ClientID     string `json:"clientId"`
	ClientSecret string `json:"clientSecret,omitempty"`
	RedirectURI  string `json:"redirectUri"`
}

// A DashboardClient is the client for signing in to the dashboard with WhatsApp. It has its own tenant.
type DashboardClient struct {
	TenantID string `json:"tenantId"`
	Client
}

// Accounts are the demo accounts.
type Accounts struct {
	Business     Account `json:"business"`
	Free         Account `json:"free"`
	Disconnected Account `json:"disconnected"`
	Unlimited    Account `json:"unlimited"`
	Showcase     Account `json:"showcase,omitzero"`
}

// An Account is a demo account with its API keys.
type Account struct {
	ID             string   `json:"id"`
	Email          string   `json:"email,omitempty"`
	LiveKey        string   `json:"liveKey"`
	TestKey        string   `json:"testKey,omitempty"`
	ProjectKey     string   `json:"projectKey,omitempty"`
	WebhookSecret  string   `json:"webhookSecret,omitempty"`
	WhatsAppNumber string   `json:"whatsappNumber,omitempty"`
	Senders        []Sender `json:"senders,omitempty"`
}

// A Sender is a number or an address of an account for sending.
type Sender struct {
	ID      string `json:"id"`
	Channel string `json:"channel"`
	Address string `json:"address"`
}

// Load reads a dev.json. A file that doesn't exist is an empty State.
func Load(path string) (*State, error) {
	s := &State{}
	b, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return s, nil
	}
	if err == nil {
		err = json.Unmarshal(b, s)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w (remove it to create new demo keys)", path, err)
	}
	return s, nil
}

// Save writes the file atomically, readable only by its owner.
func (s *State) Save(path string) error {
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return replace(path, append(b, '\n'))
}
