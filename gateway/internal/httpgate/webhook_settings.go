package httpgate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/griot/gateway"
)

// WebhookSettings describe the requests of a webhook, for receipts or for another webhook of the kind.
type WebhookSettings struct {
	Auth     *auth             `json:"auth"`
	Scheme   *auth             `json:"scheme"`   // of a preset: the defaults of auth
	When     map[string]string `json:"when"`     // fields and values that identify these events, if other events use the same URL
	List     string            `json:"list"`     // the path of the list of events; "." is the document; empty: the document is one event
	Fields   map[string]string `json:"fields"`   // from our name to the places: names, paths in JSON, or "?name" in the query
	Statuses map[string]string `json:"statuses"` // receipts: from the gateway's status to sent, delivered, failed, bounced …
	AtFormat string            `json:"at_format"`
	Answer   string            `json:"answer"`
	Again    int               `json:"again"` // the status after which the gateway repeats a request

	statuses map[string]string // in lowercase
}

// Webhook receives the events of one type, such as receipts.
type Webhook struct {
	Path     string   // such as /inbound
	Fields   []string // the names that Settings.Fields can contain; ignored for receipts
	Settings *WebhookSettings
	Store    func(ctx context.Context, h *WebhookSettings, c Event) error
}

// where returns the webhook's name in the settings.
func (r *Webhook) where() string { return strings.TrimPrefix(r.Path, "/") }

// Enabled reports whether the webhook is served. The webhooks of a preset have no auth, so they are disabled until
// the settings have it.
func (h *WebhookSettings) Enabled() bool { return h != nil && h.Auth != nil }

// byProviderID reports whether its events contain the gateway's ID of a message, and not our reference.
func (h *WebhookSettings) byProviderID() bool { return h.Enabled() && h.Fields["ref"] == "" }

// useScheme sets Auth to the preset's scheme, unless the settings' own auth is of another kind. The own auth is then parsed over it.
func (h *WebhookSettings) useScheme(own *auth) {
	if h != nil && h.Scheme != nil && (own.Kind == "" || own.Kind == h.Scheme.Kind) {
		scheme := *h.Scheme
		h.Auth = &scheme
	}
}

// receiptFields returns the names of a receipt's fields.
func receiptFields() []string { return []string{"ref", "id", "status", "report", "at", "error"} }

// prepareWebhooks checks the settings of the webhooks.
func (g *Gateway) prepareWebhooks() error {
	for i := range g.webhooks {
		r := &g.webhooks[i]
		h, fields := r.Settings, r.Fields
		if r.Path == "/receipts" {
			fields = receiptFields()
		}
		if !h.Enabled() {
			if h != nil && g.settings.Preset == "" {
				return fmt.Errorf("settings: %s: auth is needed: without it anybody could call", r.where())
			}
			continue
		}
		if err := h.Auth.prepare(r.where()); err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(h.Fields)) {
			if !slices.Contains(fields, name) {
				return fmt.Errorf("settings: %s: fields can be %s", r.where(), strings.Join(fields, ", "))
			}
		}
		if h.Again != 0 && h.Again != 429 && (h.Again < 500 || h.Again > 599) {
			return fmt.Errorf("settings: %s: again must be 429, or from 500 to 599", r.where())
		}
		if r.Path == "/receipts" {
			if err := h.prepareReceipts(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (h *WebhookSettings) prepareReceipts() error {
	if h.Fields["status"] == "" || h.Fields["ref"] == "" && h.Fields["id"] == "" {
		return errors.New("settings: receipts: fields must say where the status is, and ref or id")
	}
	h.statuses = map[string]string{}
	known := []string{string(gateway.ReceiptSent), string(gateway.ReceiptDelivered), string(gateway.ReceiptRead), ignored}
	for theirs, status := range h.Statuses {
		if _, failed := failure(status); !failed && !slices.Contains(known, status) {
			return fmt.Errorf("settings: receipts: statuses can become %s, %s, opted_out, bounced, bounced_for_now, complained, suppressed, unsubscribed", strings.Join(known, ", "), gateway.ReceiptFailed)
		}
		h.statuses[strings.ToLower(theirs)] = status
	}
	if len(h.statuses) == 0 {
		return errors.New("settings: receipts: statuses must map the gateway's statuses")
	}
	return nil
}
