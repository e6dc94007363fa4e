package dashboard

import "example.com/griot/messaging/audit"

// sentence is what an event says after its actor's name. about is the detail that it names; empty: none.
type sentence struct{ key, about string }

// ofTarget has a sentence name the event's target.
const ofTarget = "target"

// sentences are what the actions of the audit log are in words.
func sentences() map[string]sentence {
	return map[string]sentence{
		audit.AccountCreated:     {"dashboard.did.account_created", ""},
		audit.AccountChanged:     {"dashboard.did.account_changed", ""},
		audit.AccountTransferred: {"dashboard.did.account_transferred", "to"},
		audit.AccountClosed:      {"dashboard.did.account_closed", ""},
		audit.AccountReopened:    {"dashboard.did.account_reopened", ""},
		audit.AccountSuspended:   {"dashboard.did.account_suspended", "reason"},
		audit.AccountResumed:     {"dashboard.did.account_resumed", ""},
		audit.AccountErased:      {"dashboard.did.account_erased", ofTarget},
		audit.PlanChanged:        {"dashboard.did.plan_changed", ofTarget},

		audit.SessionOpened: {"dashboard.did.session_opened", ""},
		audit.SessionClosed: {"dashboard.did.session_closed", ""},

		audit.WhatsAppLinked:   {"dashboard.did.whatsapp_linked", ofTarget},
		audit.WhatsAppUnlinked: {"dashboard.did.whatsapp_unlinked", ofTarget},

		audit.KeyCreated: {"dashboard.did.key_created", "prefix"},
		audit.KeyRotated: {"dashboard.did.key_rotated", "prefix"},
		audit.KeyRevoked: {"dashboard.did.key_revoked", "prefix"},

		audit.ProjectCreated: {"dashboard.did.project_created", "name"},
		audit.ProjectChanged: {"dashboard.did.project_changed", "name"},
		audit.ProjectDeleted: {"dashboard.did.project_deleted", "name"},

		audit.MemberInvited:     {"dashboard.did.member_invited", "email"},
		audit.MemberJoined:      {"dashboard.did.member_joined", ""},
		audit.MemberChanged:     {"dashboard.did.member_changed", "email"},
		audit.MemberRemoved:     {"dashboard.did.member_removed", "email"},
		audit.InvitationRevoked: {"dashboard.did.invitation_revoked", "email"},

		audit.SenderAdded:   {"dashboard.did.sender_added", "address"},
		audit.SenderChanged: {"dashboard.did.sender_changed", "address"},
		audit.SenderPaused:  {"dashboard.did.sender_paused", "address"},
		audit.SenderResumed: {"dashboard.did.sender_resumed", "address"},
		audit.SenderRemoved: {"dashboard.did.sender_removed", "address"},

		audit.SendingPaused:  {"dashboard.did.sending_paused", ""},
		audit.SendingResumed: {"dashboard.did.sending_resumed", ""},

		audit.PairingStarted: {"dashboard.did.pairing_started", "address"},
		audit.SenderPaired:   {"dashboard.did.sender_paired", "address"},
		audit.PairingFailed:  {"dashboard.did.pairing_failed", "address"},

		audit.MasterKeyRotated: {"dashboard.did.master_key_rotated", ""},

		audit.GatewayAdded:   {"dashboard.did.gateway_added", ofTarget},
		audit.GatewayChanged: {"dashboard.did.gateway_changed", ofTarget},
		audit.GatewayRemoved: {"dashboard.did.gateway_removed", ofTarget},

		audit.WebhookSet:          {"dashboard.did.webhook_set", ofTarget},
		audit.WebhookRemoved:      {"dashboard.did.webhook_removed", ""},
		audit.WebhookEnabled:      {"dashboard.did.webhook_enabled", ""},
		audit.WebhookDisabled:     {"dashboard.did.webhook_disabled", ""},
		audit.WebhookRotated:      {"dashboard.did.webhook_rotated", ""},
		audit.WebhookReads:        {"dashboard.did.webhook_reads", ""},
		audit.WebhookPinged:       {"dashboard.did.webhook_pinged", ""},
		audit.WebhookResent:       {"dashboard.did.webhook_resent", ""},
		audit.WebhookResentFailed: {"dashboard.did.webhook_resent_failed", ""},
		audit.StreamRotated:       {"dashboard.did.stream_rotated", ""},

		audit.RequestMade:     {"dashboard.did.request_made", "wanted"},
		audit.RequestDone:     {"dashboard.did.request_done", "wanted"},
		audit.RequestDeclined: {"dashboard.did.request_declined", "wanted"},

		audit.CodesUnblocked: {"dashboard.did.codes_unblocked", ofTarget},

		audit.OptOutAdded:   {"dashboard.did.optout_added", ofTarget},
		audit.OptOutRemoved: {"dashboard.did.optout_removed", ofTarget},

		audit.PersonExported: {"dashboard.did.person_exported", ofTarget},
		audit.PersonErased:   {"dashboard.did.person_erased", ofTarget},
		audit.ErasureEnded:   {"dashboard.did.erasure_ended", ofTarget},

		audit.MessageViewed: {"dashboard.did.message_viewed", ofTarget},
		audit.LogsExported:  {"dashboard.did.logs_exported", ""},

		audit.CustomerCreated: {"dashboard.did.customer_created", ""},
		audit.CheckoutOpened:  {"dashboard.did.checkout_opened", ""},
		audit.PortalOpened:    {"dashboard.did.portal_opened", ""},
	}
}

// actionKind is several actions by how they begin.
type actionKind struct{ prefix, key string }

func actionKinds() []actionKind {
	return []actionKind{
		{"session.", "dashboard.activity.kind_sessions"},
		{"key.", "dashboard.activity.kind_keys"},
		{"project.", "dashboard.activity.kind_projects"},
		{"member.", "dashboard.activity.kind_members"},
		{"account.", "dashboard.activity.kind_account"},
		{"sender.", "dashboard.activity.kind_senders"},
		{"webhook.", "dashboard.activity.kind_webhooks"},
		{"request.", "dashboard.activity.kind_requests"},
		{"optout.", "dashboard.activity.kind_optouts"},
		{"billing.", "dashboard.activity.kind_billing"},
		{"logs.", "dashboard.activity.kind_exports"},
		{"person.", "dashboard.activity.kind_privacy"},
	}
}
