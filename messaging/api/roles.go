package api

import "example.com/griot/messaging/account"

// permit decides whether somebody who is signed in may use a route in their role, and whether they need a code from an
// e-mail of the last 15 minutes for it. Every route that takes a session of an account asks it, by its line in the table
// of routes; a route that it does not know is nobody's.
func permit(role account.Role, route string) (permitted, needsCode bool) {
	switch route {
	case "GET /api/me", "GET /api/presets", "GET /api/alerts",
		"GET /api/status/{messageId}", "GET /api/svc-logs", "GET /api/stats": // developers: of their projects
		return role == account.RoleOwner || role == account.RoleDeveloper || role == account.RoleViewer, false
	case "GET /dashboard", "GET /dashboard/logs", "GET /dashboard/messages/{messageId}", // likewise
		"GET /dashboard/codes": // developers: to test
		return role == account.RoleOwner || role == account.RoleDeveloper || role == account.RoleViewer, false
	case "POST /dashboard/messages/{messageId}/cancel",
		"GET /dashboard/team", "GET /dashboard/team/members/{id}", "GET /dashboard/activity",
		"GET /dashboard/settings", "POST /dashboard/settings":
		return role == account.RoleOwner, false
	case "GET /dashboard/inbox", "GET /dashboard/inbox/{conversationId}",
		"POST /dashboard/inbox/{conversationId}/reply", "POST /dashboard/inbox/{conversationId}/read", "POST /dashboard/inbox/{conversationId}/unread":
		return role == account.RoleOwner, false
	case "GET /dashboard/settings/sign-in", "POST /dashboard/settings/sign-in/remove": // everybody's own
		return role == account.RoleOwner || role == account.RoleDeveloper || role == account.RoleViewer, false
	case "GET /dashboard/settings/sign-in/whatsapp", "GET /dashboard/settings/sign-in/link", "POST /dashboard/settings/sign-in/link":
		return role == account.RoleOwner || role == account.RoleDeveloper || role == account.RoleViewer, true
	case "POST /dashboard/settings/sign-in/account":
		return role == account.RoleOwner, true
	case "GET /dashboard/opt-outs", "POST /dashboard/opt-outs", "GET /dashboard/opt-outs/new", "GET /dashboard/opt-outs/{id}", "POST /dashboard/opt-outs/{id}/remove":
		return role == account.RoleOwner, false
	case "GET /dashboard/webhooks", "GET /dashboard/webhooks/{eventId}", "POST /dashboard/webhooks/{eventId}/resend", "POST /dashboard/webhooks/resend-failed", "POST /dashboard/webhooks/ping", "POST /dashboard/webhooks/enable",
		"POST /dashboard/webhooks/stream-secret",
		"GET /dashboard/senders", "GET /dashboard/senders/{id}", "POST /dashboard/senders/{id}/pause", "POST /dashboard/senders/{id}/resume":
		return role == account.RoleOwner, false
	case "GET /api/projects": // developers: theirs
		return role == account.RoleOwner || role == account.RoleDeveloper || role == account.RoleViewer, false
	case "GET /api/svc-analytics", "GET /api/otp/stats": // of the whole account
		return role == account.RoleOwner || role == account.RoleViewer, false
	case "POST /api/projects", "PATCH /api/projects/{id}", "GET /api/keys", // developers: theirs
		"GET /dashboard/send", "POST /dashboard/send", "POST /dashboard/send/preview", "POST /dashboard/codes/send", "POST /dashboard/codes/verify": // developers: simulated, in their projects
		return role == account.RoleOwner || role == account.RoleDeveloper, false
	case "POST /api/keys", "POST /api/keys/{id}/rotate", "DELETE /api/keys/{id}",
		"DELETE /api/projects/{id}": // revokes its keys
		return role == account.RoleOwner || role == account.RoleDeveloper, true
	case "GET /dashboard/keys", "GET /dashboard/keys/{id}",
		"GET /dashboard/projects", "POST /dashboard/projects", "GET /dashboard/projects/{id}", "POST /dashboard/projects/{id}": // developers: theirs
		return role == account.RoleOwner || role == account.RoleDeveloper, false
	case "GET /dashboard/keys/new", "POST /dashboard/keys", "POST /dashboard/keys/{id}/rotate", "POST /dashboard/keys/{id}/revoke",
		"POST /dashboard/projects/{id}/delete":
		return role == account.RoleOwner || role == account.RoleDeveloper, true
	case "POST /api/members", "PATCH /api/members/{id}", "DELETE /api/members/{id}",
		"DELETE /api/invitations/{id}", "POST /api/invitations/{id}/resend",
		"POST /api/account/transfer", "POST /api/account/close", "POST /dashboard/settings/transfer", "POST /dashboard/settings/close",
		"POST /api/billing/checkout", "POST /api/billing/portal", "POST /dashboard/billing/checkout", "POST /dashboard/billing/portal":
		return role == account.RoleOwner, true
	case "POST /api/senders/{id}/pair", "DELETE /api/senders/{id}/pair", "GET /api/senders/{id}/pair/events",
		"GET /dashboard/senders/{id}/pair", "POST /dashboard/senders/{id}/pair", "POST /dashboard/senders/{id}/pair/cancel":
		return role == account.RoleOwner, true
	case "POST /dashboard/team/invitations", "POST /dashboard/team/invitations/{id}/resend", "POST /dashboard/team/invitations/{id}/withdraw",
		"POST /dashboard/team/members/{id}", "POST /dashboard/team/members/{id}/remove":
		return role == account.RoleOwner, true
	case "GET /api/svc-logs.csv",
		"POST /api/people/export", "POST /api/people/erase", "POST /dashboard/privacy/export", "POST /dashboard/privacy/erase":
		return role == account.RoleOwner, true
	case "GET /dashboard/privacy":
		return role == account.RoleOwner, false
	case "GET /api/members", "GET /api/billing", "GET /dashboard/billing", "GET /api/audit", "PATCH /api/account", "GET /api/opt-outs", "POST /api/opt-outs", "DELETE /api/opt-outs/{id}", "GET /api/partner/whatsapp/groups", "GET /api/senders", "GET /api/senders/{id}", "POST /api/senders/{id}/pause", "POST /api/senders/{id}/resume", "POST /api/messages/{messageId}/cancel",
		"GET /api/inbox/conversations", "GET /api/inbox/conversations/{id}/messages", "POST /api/inbox/conversations/{id}/read", "POST /api/inbox/conversations/{id}/reply", "GET /api/inbox/revision",
		"GET /api/inbox/messages", "GET /api/media/{id}", "POST /api/inbox/conversations/{id}/unread",
		"GET /api/webhooks", "GET /api/webhooks/events", "GET /api/webhooks/events/{eventId}", "POST /api/webhooks/events/{eventId}/resend",
		"POST /api/webhooks/resend-failed", "POST /api/webhooks/ping", "POST /api/webhooks/enable", "POST /api/webhooks/stream/rotate-secret":
		return role == account.RoleOwner, false
	}
	return false, false
}
