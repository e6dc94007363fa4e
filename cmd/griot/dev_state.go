package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"example.com/griot/cmd/griot/exit"
)

// devFile has the addresses of dev and the demo keys, for tests and tools. Dev itself keeps the keys there between runs: the
// database has only their hashes.
const devFile = "dev.json"

type devState struct {
	AuthURL         string      `json:"authUrl"`
	BaseURL         string      `json:"baseUrl"`
	MCPURL          string      `json:"mcpUrl"`
	InternalURL     string      `json:"internalUrl"`
	GatewaySecret   string      `json:"gatewaySecret"`
	ReceiverPhoneID string      `json:"receiverPhoneId"`
	LinkedNumber    string      `json:"linkedNumber,omitempty"` // of --with-whatsapp
	Tenant          devTenant   `json:"tenant"`
	Clients         devClients  `json:"clients"`
	Accounts        devAccounts `json:"accounts"`
	ShowcaseTenant  devTenant   `json:"showcaseTenant,omitzero"`

	Dashboard devDashboardClient `json:"dashboardClient"`
}

type devTenant struct {
	ID            string `json:"id"`
	InvitationKey string `json:"invitationKey"`
}

type devClients struct {
	TestPublic       devClient `json:"testPublic"`
	TestConfidential devClient `json:"testConfidential"`
	LivePublic       devClient `json:"livePublic"`
	LiveConfidential devClient `json:"liveConfidential"` // of a site on this machine: examples/
}

type devClient struct {
	ClientID     string `json:"clientId"`
	ClientSecret string `json:"clientSecret,omitempty"`
	RedirectURI  string `json:"redirectUri"`
}

// devDashboardClient is the client by which people sign in to the dashboard with WhatsApp. It has a tenant of its own.
type devDashboardClient struct {
	TenantID string `json:"tenantId"`
	devClient
}

type devAccounts struct {
	Business     devAccount `json:"business"`
	Free         devAccount `json:"free"`
	Disconnected devAccount `json:"disconnected"`
	Unlimited    devAccount `json:"unlimited"`
	Showcase     devAccount `json:"showcase,omitzero"`
}

type devAccount struct {
	ID             string      `json:"id"`
	Email          string      `json:"email,omitempty"`
	LiveKey        string      `json:"liveKey"`
	TestKey        string      `json:"testKey,omitempty"`
	ProjectKey     string      `json:"projectKey,omitempty"`
	WebhookSecret  string      `json:"webhookSecret,omitempty"`
	WhatsAppNumber string      `json:"whatsappNumber,omitempty"`
	Senders        []devSender `json:"senders,omitempty"`
}

type devSender struct {
	ID      string `json:"id"`
	Channel string `json:"channel"`
	Address string `json:"address"`
}

func loadDevState(path string) (*devState, error) {
	s := &devState{}
	b, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return s, nil
	}
	if err == nil {
		err = json.Unmarshal(b, s)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w (remove it to make new demo keys)", path, err)
	}
	return s, nil
}

// devService returns the address of the griot dev of a folder, and its business account's key.
func devService(dir string) (address, key string, err error) {
	s, err := loadDevState(filepath.Join(dir, devFile))
	if err == nil && s.Accounts.Business.LiveKey == "" {
		err = exit.Usage("--data: there is no %s in this folder: has griot dev run with it?", devFile)
	}
	if err != nil {
		return "", "", err
	}
	return s.BaseURL, s.Accounts.Business.LiveKey, nil
}

// save writes the file in one step, for its owner only.
func (s *devState) save(path string) error {
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return writeWhole(path, append(b, '\n'))
}

func (s *devState) addresses(ls *devListeners) {
	s.BaseURL, s.AuthURL, s.InternalURL = httpURL(ls.api), httpURL(ls.auth), httpURL(ls.internal)
	s.MCPURL = s.BaseURL + "/mcp"
}

// httpURL is the address of a listener; one that listens everywhere is reached by loopback.
func httpURL(l net.Listener) string {
	a, ok := l.Addr().(*net.TCPAddr)
	if !ok {
		return "http://" + l.Addr().String()
	}
	host := a.IP.String()
	if a.IP.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, fmt.Sprint(a.Port))
}

const (
	readyTimeout = 10 * time.Second
	readyPoll    = 20 * time.Millisecond
)

// ready returns when the process says that it is ready, and all listeners answer.
func (s *devState) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	for _, url := range []string{s.InternalURL + "/readyz", s.AuthURL + "/healthz", s.BaseURL + "/healthz"} {
		for {
			err := answers(ctx, url)
			if err == nil {
				break
			}
			select {
			case <-ctx.Done():
				return err
			case <-time.After(readyPoll):
			}
		}
	}
	return nil
}

func answers(ctx context.Context, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %d", url, res.StatusCode)
	}
	return nil
}
