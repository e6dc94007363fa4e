package dashboard

import (
	"strings"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/internal/i18n"
	"example.com/griot/internal/webhook"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/inbox"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/optout"
	"example.com/griot/messaging/webhooks"
)

// Every value that a page shows by name has a name.
func TestNames_CoverEveryValue(t *testing.T) {
	values := map[string][]string{
		"dashboard.channel_":           {string(gateway.WhatsApp), string(gateway.SMS), string(gateway.Email), string(message.Auto)},
		"dashboard.role_":              {string(account.RoleOwner), string(account.RoleDeveloper), string(account.RoleViewer)},
		"dashboard.may_":               {string(account.RoleDeveloper), string(account.RoleViewer)},
		"dashboard.keys.kind_":         {string(account.Live), string(account.Test), string(account.ProjectKey)},
		"dashboard.keys.about_":        {string(account.Live), string(account.Test), string(account.ProjectKey)},
		"dashboard.webhooks.delivery_": {string(webhooks.Pending), string(webhooks.Delivered), string(webhooks.Failed), string(webhooks.NotSent)},
		"dashboard.webhooks.error_":    webhook.Failures(),
		"dashboard.inbox.media_":       {inbox.MediaPending, gateway.MediaTooLarge, gateway.MediaAccountFull, gateway.MediaUnavailable},
		"dashboard.billing.invoice_":   {"draft", "open", "paid", "uncollectible", "void"},
		"dashboard.billing.a_":         {"day", "week", "month", "year"},
		"dashboard.billing.every_":     {"day", "week", "month", "year"},
		"dashboard.activity.kind_":     actionKinds(),
		"dashboard.opt_outs.by_":       {string(optout.Requested), string(optout.Refused), string(optout.Bounced), string(optout.Complained), string(optout.Added)},
		"dashboard.opt_outs.title_":    {string(optout.Requested), string(optout.Refused), string(optout.Bounced), string(optout.Complained), string(optout.Added)},
		"dashboard.opt_outs.means_":    {string(optout.Requested), string(optout.Refused), string(optout.Bounced), string(optout.Complained), string(optout.Added)},
	}
	for _, s := range message.Statuses() {
		values["dashboard.status_"] = append(values["dashboard.status_"], strings.ToLower(string(s)))
	}
	for _, s := range []gateway.ConnState{gateway.Disconnected, gateway.Pairing, gateway.Connecting, gateway.Connected, gateway.Restricted, gateway.LoggedOut, gateway.Banned, gateway.Outdated} {
		values["dashboard.senders.state_"] = append(values["dashboard.senders.state_"], string(s))
	}
	for _, s := range []gateway.InboundType{
		gateway.InboundImage, gateway.InboundVideo, gateway.InboundAudio, gateway.InboundDocument, gateway.InboundSticker, gateway.InboundLocation, gateway.InboundContacts, gateway.InboundReaction, gateway.InboundOther,
	} {
		values["dashboard.inbox.type_"] = append(values["dashboard.inbox.type_"], string(s))
	}
	for beginning, all := range values {
		for _, value := range all {
			if !i18n.FR.Has(beginning + value) {
				t.Errorf("no text %s%s", beginning, value)
			}
		}
	}
}
