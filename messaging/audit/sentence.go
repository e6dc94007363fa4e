package audit

import (
	"slices"
	"strings"

	"example.com/griot/internal/i18n"
)

// OfTarget makes a sentence name the event's target.
const OfTarget = "target"

// Sentence returns the text key of the sentence for an action, which follows the name of its actor, and the detail that the
// sentence names: [OfTarget], or "" if it names none. ok is false for an unknown action, from another version of the program.
func Sentence(action string) (key, about string, ok bool) {
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
		"to":      {AccountTransferred},
		"reason":  {AccountSuspended},
		"prefix":  {KeyCreated, KeyRotated, KeyRevoked, KeyChanged},
		"name":    {ProjectCreated, ProjectChanged, ProjectDeleted},
		"email":   {MemberInvited, MemberChanged, MemberRemoved, InvitationRevoked},
		"address": {SenderAdded, SenderChanged, SenderPaused, SenderResumed, SenderRemoved, PairingStarted, SenderPaired, PairingFailed},
		"wanted":  {RequestMade, RequestDone, RequestDeclined},
		OfTarget: {
			AccountErased, PlanChanged, WhatsAppLinked, WhatsAppUnlinked, GatewayAdded, GatewayChanged, GatewayRemoved, GatewayTestSent,
			WebhookSet, CodesUnblocked, OptOutAdded, OptOutRemoved, PersonExported, PersonErased, ErasureEnded, MessageViewed,
		},
	}
}
