package dashboard

import (
	"slices"
	"strings"

	"example.com/griot/internal/i18n"
	"example.com/griot/messaging/audit"
)

// ofTarget makes a sentence name the event's target.
const ofTarget = "target"

// sentence returns the key of an event's sentence, and the detail that it names, or "" if it names none. ok is false
// for an unknown action, from another version of the program.
func sentence(action string) (key, about string, ok bool) {
	key = "dashboard.did_" + strings.ReplaceAll(action, ".", "_")
	for detail, actions := range named() {
		if slices.Contains(actions, action) {
			about = detail
		}
	}
	return key, about, i18n.Default.Has(key)
}

// named returns the actions whose sentences name a detail.
func named() map[string][]string {
	return map[string][]string{
		"to":      {audit.AccountTransferred},
		"reason":  {audit.AccountSuspended},
		"prefix":  {audit.KeyCreated, audit.KeyRotated, audit.KeyRevoked, audit.KeyChanged},
		"name":    {audit.ProjectCreated, audit.ProjectChanged, audit.ProjectDeleted},
		"email":   {audit.MemberInvited, audit.MemberChanged, audit.MemberRemoved, audit.InvitationRevoked},
		"address": {audit.SenderAdded, audit.SenderChanged, audit.SenderPaused, audit.SenderResumed, audit.SenderRemoved, audit.PairingStarted, audit.SenderPaired, audit.PairingFailed},
		"wanted":  {audit.RequestMade, audit.RequestDone, audit.RequestDeclined},
		ofTarget: {
			audit.AccountErased, audit.PlanChanged, audit.WhatsAppLinked, audit.WhatsAppUnlinked, audit.GatewayAdded, audit.GatewayChanged, audit.GatewayRemoved, audit.GatewayTestSent,
			audit.WebhookSet, audit.CodesUnblocked, audit.OptOutAdded, audit.OptOutRemoved, audit.PersonExported, audit.PersonErased, audit.ErasureEnded, audit.MessageViewed,
		},
	}
}

// actionKinds returns the prefixes of actions by which events can be filtered.
func actionKinds() []string {
	return []string{"session", "key", "project", "member", "account", "sender", "webhook", "request", "optout", "billing", "logs", "person"}
}
