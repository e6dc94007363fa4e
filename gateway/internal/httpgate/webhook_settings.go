package httpgate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"griot/gateway"
)

// WebhookSettings says how the gateway's calls to us look: receipts, or what else a kind knows.
type WebhookSettings struct {
	Auth     *auth             `json:"auth"`
	Scheme   *auth             `json:"scheme"`   // of a preset: what auth is laid over
	When     map[string]string `json:"when"`     // fields with the values that tell such a call from others at one address
	List     string            `json:"list"`     // the path of a list, each element of which is a call; "." is the document
	Fields   map[string]string `json:"fields"`   // ours -> the gateway's: names, paths in JSON, or "?name" in the address
	Statuses map[string]string `json:"statuses"` // receipts: the gateway's -> sent, delivered, failed, bounced …
	AtFormat string            `json:"at_format"`
	Answer   string            `json:"answer"`
	Again    int               `json:"again"` // the status that lets the gateway bring a call again

	statuses map[string]string // in lower case
}

// Webhook is where calls of one sort come in, and what is done with each.
type Webhook struct {
	Path     string   // /inbound
	Fields   []string // which there are; of receipts, the engine knows
	Settings *WebhookSettings
	Store    func(ctx context.Context, h *WebhookSettings, c Event) error
}

// where is the route's name in the settings.
func (r *Webhook) where() string { return strings.TrimPrefix(r.Path, "/") }

// Enabled reports whether calls of this kind are taken. A preset brings hooks without auth: they are off until the settings have one.
func (h *WebhookSettings) Enabled() bool { return h != nil && h.Auth != nil }

// byID reports whether its calls name messages by the gateway's id, because they do not bring our reference.
func (h *WebhookSettings) byID() bool { return h.Enabled() && h.Fields["ref"] == "" }

// foreshadow lets the settings' auth be laid over the preset's scheme, unless it is of another kind.
func (h *WebhookSettings) foreshadow(own *auth) {
	if h != nil && h.Scheme != nil && (own.Kind == "" || own.Kind == h.Scheme.Kind) {
		scheme := *h.Scheme
		h.Auth = &scheme
	}
}

// receiptFields are what a receipt can tell.
func receiptFields() []string { return []string{"ref", "id", "status", "at", "error"} }

// prepareHooks checks the hooks.
func (g *Gateway) prepareHooks() error {
	for i := range g.routes {
		r := &g.routes[i]
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
		if _, bad := failure(status); !bad && !slices.Contains(known, status) {
			return fmt.Errorf("settings: receipts: statuses can become %s, %s, bounced, bounced_for_now, complained, suppressed, unsubscribed", strings.Join(known, ", "), gateway.ReceiptFailed)
		}
		h.statuses[strings.ToLower(theirs)] = status
	}
	if len(h.statuses) == 0 {
		return errors.New("settings: receipts: statuses must say what the gateway's words mean")
	}
	return nil
}
