package dashboard

import (
	"example.com/griot/internal/phone"
	"example.com/griot/internal/webhook"
	"example.com/griot/messaging/alerts"
	"example.com/griot/web"
)

// alertsID is the fragment of the overview with the alerts.
const alertsID = "#alerts"

// alerts returns the alerts for the caller.
func (d *Dashboard) alerts(v *visit) ([]web.Alert, error) {
	all, err := d.o.Alerts.List(v.r.Context(), v.caller)
	if err != nil {
		return nil, err
	}
	v.alertCount = new(len(all))
	var list []web.Alert
	for _, a := range all {
		shown, page := alertText(v, a)
		if page != "" && v.caller.Owner() {
			shown.URL, shown.Action = v.url(page), v.lang.T("dashboard.alert.look")
			if a.Limit > 0 {
				shown.Action = v.lang.T("dashboard.billing.see_plans")
			}
		}
		list = append(list, shown)
	}
	return list, nil
}

// alertText describes an alert and returns the owner's page with details, or "" if there is none.
func alertText(v *visit, a *alerts.Alert) (shown web.Alert, page string) {
	lang := v.lang
	switch a.Kind {
	case alerts.QuotaNear:
		return web.Alert{Tone: web.Warn, Title: lang.T("dashboard.alert.quota"), Text: lang.T("dashboard.alert.quota_used", lang.Percent(a.Used, a.Limit))}, billingPath
	case alerts.QuotaUsed:
		return web.Alert{Tone: web.Bad, Title: lang.T("dashboard.alert.quota"), Text: lang.T("dashboard.alert.quota_full", number(lang, a.Limit))}, billingPath
	case alerts.SenderDown:
		address, channel := phone.Grouped(a.Address), channelName(lang, a.Channel)
		if a.Connection.Accepts() {
			return web.Alert{Tone: web.Warn, Title: lang.T("dashboard.alert.sender_restricted_title"), Text: lang.T("dashboard.alert.sender_restricted", address, channel)}, senderURL(a.SenderID)
		}
		return web.Alert{Tone: web.Bad, Title: lang.T("dashboard.alert.sender"), Text: lang.T("dashboard.alert.sender_down", address, channel)}, senderURL(a.SenderID)
	case alerts.WebhookDisabled:
		text := lang.T("dashboard.alert.webhook_disabled", v.moment(a.DisabledAt))
		if a.Reason == webhook.ForOperator {
			text = lang.T("dashboard.webhooks.by_operator", v.moment(a.DisabledAt))
		}
		return web.Alert{Tone: web.Bad, Title: lang.T("dashboard.alert.webhook"), Text: text}, webhooksPath
	case alerts.BillingFailed:
		return web.Alert{Tone: web.Bad, Title: lang.T("dashboard.alert.billing"), Text: lang.T("dashboard.alert.billing_failed")}, billingPath
	}
	return web.Alert{Tone: web.Bad, Text: string(a.Kind)}, ""
}

// countAlerts returns the number of alerts for the shell, or the zero value if there are none.
func (d *Dashboard) countAlerts(v *visit) (web.AlertCount, error) {
	if v.alertCount == nil {
		n, err := d.o.Alerts.Count(v.r.Context(), v.caller)
		if err != nil {
			return web.AlertCount{}, err
		}
		v.alertCount = &n
	}
	c := web.AlertCount{Count: *v.alertCount, URL: v.url(homePath) + alertsID, Text: v.lang.T("dashboard.alert.count_one")}
	if c.Count != 1 {
		c.Text = v.lang.T("dashboard.alert.count", number(v.lang, int64(c.Count)))
	}
	return c, nil
}
