package api

import (
	"net/http"

	"example.com/griot/gateway"
	"example.com/griot/internal/httpx"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/alerts"
)

type alertsAnswer struct {
	Success bool        `json:"success"`
	Alerts  []alertItem `json:"alerts"`
	Count   int         `json:"count"`
}

type alertItem struct {
	Kind     alerts.Kind   `json:"kind"`
	OpenedAt *string       `json:"openedAt"` // null: just now
	MailedAt *string       `json:"mailedAt"` // null: not yet
	Quota    *alertQuota   `json:"quota"`
	Sender   *alertSender  `json:"sender"`
	Webhook  *alertWebhook `json:"webhook"`
	Billing  *alertBilling `json:"billing"`
}

type alertQuota struct {
	Used  int64 `json:"used"`
	Limit int64 `json:"limit"`
}

type alertSender struct {
	ID      string          `json:"id"`
	Channel gateway.Channel `json:"channel"`
	Address string          `json:"address"`
	connectionItem
}

type alertWebhook struct {
	DisabledAt *string `json:"disabledAt"`
	Reason     string  `json:"reason"`
}

type alertBilling struct {
	Status string `json:"status"`
}

// alerts handles GET /api/alerts.
func (a *API) alerts(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	all, err := a.o.Alerts.List(r.Context(), c)
	if err != nil {
		return err
	}
	out := alertsAnswer{Success: true, Alerts: []alertItem{}, Count: len(all)}
	for _, alert := range all {
		out.Alerts = append(out.Alerts, alertOf(alert))
	}
	return httpx.WriteJSON(w, http.StatusOK, out)
}

func alertOf(a *alerts.Alert) alertItem {
	item := alertItem{Kind: a.Kind, OpenedAt: formatTimeOrNull(a.OpenedAt), MailedAt: formatTimeOrNull(a.MailedAt)}
	switch a.Kind {
	case alerts.QuotaNear, alerts.QuotaUsed:
		item.Quota = &alertQuota{a.Used, a.Limit}
	case alerts.SenderDown:
		item.Sender = &alertSender{a.SenderID, a.Channel, a.Address, connectionOf(a.Connection)}
	case alerts.WebhookDisabled:
		item.Webhook = &alertWebhook{formatTimeOrNull(a.DisabledAt), a.Reason}
	case alerts.BillingFailed:
		item.Billing = &alertBilling{a.Status}
	}
	return item
}
