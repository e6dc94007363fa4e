package fault

func messagingKind(status int, code, text, fix string) *Kind {
	return &Kind{Service: Messaging, Status: status, Code: code, Text: text, Fix: fix}
}

// Errors of the messaging service.
var (
	InvalidRequest        = messagingKind(400, "invalid_request", "A field of the request is missing or wrong.", "Correct the one that the answer names (field).")
	InvalidJSON           = messagingKind(400, "invalid_json", "The body is not one valid JSON object in UTF-8.", "Send a single JSON object without U+0000 and lone surrogates, whose objects have each name once.")
	InvalidPhone          = messagingKind(400, "invalid_phone", "to must be an E.164 phone number.", "Send 8 to 15 digits, with or without a leading plus.")
	InvalidEmail          = messagingKind(400, "invalid_email", "to must be an e-mail address when channel is email.", "Send a plain address such as name@example.com.")
	InvalidChannel        = messagingKind(400, "invalid_channel", "channel is not one that this service has.", "Send whatsapp, sms, email or auto.")
	InvalidPreset         = messagingKind(400, "invalid_preset", "There is no such preset.", "Use otp, order_confirmed, order_shipped, delivery_out, appointment_reminder or payment_received.")
	MissingVariable       = messagingKind(400, "missing_variable", "The preset needs a variable that is missing or empty.", "Send the one of presetVariables that the answer names (field).")
	SensitiveNotAllowed   = messagingKind(400, "sensitive_not_allowed", "A sensitive message cannot have this field.", "Send it at once, as text, to one person.")
	InvalidCursor         = messagingKind(400, "invalid_cursor", "The cursor is not one that this list gave.", "Send nextCursor of the page before, unchanged.")
	MediaNotSupported     = messagingKind(400, "media_not_supported", "This channel has no media.", "Send mediaUrl with channel whatsapp, or auto.")
	InvalidIdempotencyKey = messagingKind(400, "invalid_idempotency_key", "An idempotency key has 1 to 255 printable Unicode characters.", "Send a key without control characters.")
	BatchTooLarge         = messagingKind(400, "batch_too_large", "A batch has at most 100 messages. Nothing was sent.", "Send several batches.")
	IdempotencyMismatch   = messagingKind(400, "idempotency_mismatch", "The header and the body have different idempotency keys. Nothing was sent.", "Send one key, or the same one twice.")
	OTPInvalidCode        = messagingKind(400, "invalid_code", "This is not the code.", "Let the person try again; after five wrong codes, send a new one.")
	OTPExpired            = messagingKind(400, "expired", "The code has expired.", "Send a new one.")
	OTPTooManyAttempts    = messagingKind(400, "too_many_attempts", "There were five wrong codes: this challenge is locked.", "Send a new code.")
	OTPNotFound           = messagingKind(400, "not_found", "There is no such challenge, or its code was used.", "Send a new code.")
	InvalidPlan           = messagingKind(400, "invalid_plan", "There is no such plan or price for sale.", "Name a plan of GET /api/billing, and one of its prices where it has several.")
	InvalidSignature      = messagingKind(400, "invalid_signature", "The event is not signed by the payment provider, or was signed more than five minutes ago.", "Send the provider's own events: check the endpoint's signing secret, and the clock.")
	InvalidEvent          = messagingKind(400, "invalid_event", "The payment provider's event cannot be read.", "Send the provider's own events, unchanged.")
	ModeMismatch          = messagingKind(400, "mode_mismatch", "The event is of the other mode: LIVE and TEST do not mix.", "Send events to the deployment whose key is of the same mode.")
	Unauthorized          = messagingKind(401, "unauthorized", "The API key is missing, unknown or revoked.", "Send Authorization: Bearer <key> or X-API-Key: <key>.")
	Forbidden             = messagingKind(403, "forbidden", "This key may not do that.", "Use a key whose kind has access.")
	SignInFailed          = messagingKind(401, "sign_in_failed", "The code is wrong, used or expired, or was tried too often.", "Ask for a new code and enter it within ten minutes.")
	SessionRequired       = messagingKind(403, "session_required", "Only somebody who is signed in to the dashboard may ask that; a key may not.", "Sign in with POST /api/session, and send no key.")
	RecentCodeRequired    = messagingKind(403, "recent_code_required", "That needs a code from an e-mail of the last 15 minutes.", "Ask for a code with POST /api/session, give it to POST /api/session/verify with the session's cookie, and try again.")
	OriginMismatch        = messagingKind(403, "origin_mismatch", "Only a page of this service may ask that.", "Send the Origin of the service itself, as its own pages do.")
	AccountRequired       = messagingKind(403, "account_required", "Who is signed in belongs to no account.", "Accept an invitation first.")
	InvitationForeign     = messagingKind(403, "invitation_foreign", "The invitation is for another e-mail address.", "Sign in with the address that was invited.")
	LiveKeyRequired       = messagingKind(403, "live_key_required", "This belongs to the account's owner: project and test keys have no access.", "Use the account's live key.")
	PlanRequired          = messagingKind(403, "plan_required", "The account's plan does not have the inbox.", "Upgrade to the plan that requiredPlan names, or a larger one.")
	MessageNotFound       = messagingKind(404, "message_not_found", "No such message.", "Check the id, and that the key may see the message.")
	ConversationNotFound  = messagingKind(404, "conversation_not_found", "No such conversation.", "List the conversations: one that was empty for long is gone.")
	EventNotFound         = messagingKind(404, "event_not_found", "No such event.", "Check the id; events are kept for 30 days.")
	NotFound              = messagingKind(404, "not_found", "There is nothing at this address.", "Check the path against /openapi.yaml.")
	MethodNotAllowed      = messagingKind(405, "method_not_allowed", "This address does not take that method.", "Use a method that the Allow header names.")
	SenderNotFound        = messagingKind(404, "sender_not_found", "The account has no such sender on this channel.", "Leave senderId out, or name one of the account's senders.")
	ProjectNotFound       = messagingKind(404, "project_not_found", "The account has no such project.", "Name one of the account's projects.")
	KeyNotFound           = messagingKind(404, "key_not_found", "There is no such key, or it is not yours to manage.", "Name a key as the list shows it.")
	MemberNotFound        = messagingKind(404, "member_not_found", "The account has no such member.", "Name a member as the list shows them.")
	OptOutNotFound        = messagingKind(404, "opt_out_not_found", "The account has no such opt-out.", "Name one as the list shows it.")
	InvitationNotFound    = messagingKind(404, "invitation_not_found", "There is no such invitation.", "Ask for a new invitation.")
	AccountClosed         = messagingKind(403, "account_closed", "The account is closed.", "Ask whoever runs the service within 30 days if it is to be opened again.")
	AccountSuspended      = messagingKind(403, "account_suspended", "The operator has suspended the account.", "Write to the operator. Until the account is resumed, only sign-in, billing, and repeated idempotency keys are answered.")
	SubscriptionActive    = messagingKind(409, "subscription_active", "The account has a subscription that renews.", "Cancel it on the payment provider's page, and then close the account.")
	OwnsAnotherAccount    = messagingKind(409, "owns_another_account", "This member owns another account, and an address owns one.", "Choose another member.")
	AccountNotFound       = messagingKind(404, "account_not_found", "Who is signed in belongs to no such account.", "Name an account that GET /api/session lists.")
	AlreadyMember         = messagingKind(409, "already_member", "This address belongs to the account already.", "There is nothing to do.")
	KeyInactive           = messagingKind(409, "key_inactive", "The key has ended, or another has taken its place already.", "Make a new key, or rotate one that works and does not end by itself.")
	AlreadyOnPlan         = messagingKind(409, "already_on_plan", "The account is on this plan.", "There is nothing to do.")
	NoSubscription        = messagingKind(409, "no_subscription", "The account has never paid here.", "Choose a plan with POST /api/billing/checkout.")
	BillingManual         = messagingKind(409, "billing_manual", "Plans are set by whoever runs this service.", "Ask the contact that GET /api/billing names.")
	InvitationUsed        = messagingKind(409, "invitation_used", "The invitation was accepted before.", "Sign in; or ask for a new invitation.")
	TooManyItems          = messagingKind(409, "too_many_items", "The account has as many of these as it can have.", "Remove some that are no longer needed.")
	MessageFailed         = messagingKind(409, "message_failed", "The message stored under this idempotency key has failed or expired.", "Look at its status, and send again under a new key.")
	IdempotencyKeyUsed    = messagingKind(409, "idempotency_key_used", "This idempotency key belongs to another message, or to a code that has expired.", "Send a new key with a new request.")
	GatewayNotConnected   = messagingKind(409, "gateway_not_connected", "No gateway is connected for this channel. Nothing was stored or charged.", "Connect a gateway, or use the sandbox.")
	SenderPaused          = messagingKind(409, "sender_paused", "The senders that could send this are paused. Nothing was stored or charged.", "Resume a sender on the dashboard, or send by another.")
	PairingUnsupported    = messagingKind(409, "pairing_unsupported", "The sender's gateway does not link numbers.", "Ask whoever runs this service: only some gateways, such as griot-whatsapp, link a number from here.")
	RecipientOptedOut     = messagingKind(409, "recipient_opted_out", "The recipient asked for no more messages on this channel. Nothing was stored or charged.", "Respect it; a START from the recipient undoes it. One-time codes still go through.")
	NotCancelable         = messagingKind(409, "not_cancelable", "The message is past the point where it could be canceled.", "See its status.")
	InvitationExpired     = messagingKind(410, "invitation_expired", "The invitation has expired.", "Ask for a new one; an invitation lasts seven days.")
	NoEndpoint            = messagingKind(409, "webhook_not_configured", "The account has no webhook endpoint.", "Ask whoever runs this service to set one, or listen with griot listen.")
	PayloadTooLarge       = messagingKind(413, "payload_too_large", "The body is too large.", "Send at most 1 MiB; 64 KiB as an event of the payment provider, and 16 KiB to sign in.")
	UnsupportedMediaType  = messagingKind(415, "unsupported_media_type", "The content type is not supported here.", "Send application/json.")
	QuotaExceeded         = messagingKind(429, "quota_exceeded", "The day's quota is used up.", "Wait until 00:00 UTC (Retry-After), or upgrade at upgradeUrl.")
	RecipientLimitReached = messagingKind(429, "recipient_limit_reached", "This recipient has had the day's most messages from the account.", "Wait until 00:00 UTC.")
	OTPRateLimited        = messagingKind(429, "otp_rate_limited", "There were three requests for this number in ten minutes.", "Wait for the seconds in Retry-After; the codes that were sent are good until they expire.")
	OTPBlocked            = messagingKind(429, "otp_blocked", "Codes to numbers like this one are held back for now: too many were sent, or too few verified.", "Wait for the seconds in Retry-After, or ask the operator; see that a person asks for each code.")
	RateLimited           = messagingKind(429, "rate_limited", "Too many requests.", "Wait for the seconds in Retry-After.")
	Internal              = messagingKind(500, "internal", "Something went wrong on our side.", "Try again with the same idempotency key; quote requestId when you report it.")
	ProviderError         = messagingKind(502, "provider_error", "The gateway refused the message or could not deliver it.", "See error in the message's status; a temporary failure may be sent again.")
	TooMuchUnderWay       = messagingKind(503, "overloaded", "Too many messages are on their way. This one was not stored.", "Try again after the seconds in Retry-After, with the same idempotency key.")
	StorageUnavailable    = messagingKind(503, "storage_unavailable", "The service cannot reach its storage.", "Try again after the seconds in Retry-After, with the same idempotency key.")
	GatewayUnavailable    = messagingKind(503, "gateway_unavailable", "The sender's gateway cannot be reached, or refuses the service.", "Try again after the seconds in Retry-After; if it lasts, ask whoever runs this service.")
	BillingUnavailable    = messagingKind(503, "billing_unavailable", "The payment provider cannot be reached. Nothing was changed.", "Try again after the seconds in Retry-After.")
)

// MessagingKinds lists the messaging service's errors in the order of their statuses.
func MessagingKinds() []*Kind {
	return []*Kind{
		InvalidRequest, InvalidJSON, InvalidPhone, InvalidEmail, InvalidChannel, InvalidPreset, MissingVariable, SensitiveNotAllowed, InvalidCursor, MediaNotSupported, InvalidIdempotencyKey, BatchTooLarge, IdempotencyMismatch, OTPInvalidCode, OTPExpired, OTPTooManyAttempts, OTPNotFound, InvalidPlan, InvalidSignature, InvalidEvent, ModeMismatch,
		Unauthorized, SignInFailed,
		Forbidden, SessionRequired, RecentCodeRequired, OriginMismatch, AccountRequired, InvitationForeign, LiveKeyRequired, PlanRequired, AccountClosed, AccountSuspended,
		MessageNotFound, ConversationNotFound, EventNotFound, NotFound, SenderNotFound, ProjectNotFound, KeyNotFound, MemberNotFound, OptOutNotFound, InvitationNotFound, AccountNotFound,
		MethodNotAllowed,
		AlreadyMember, SubscriptionActive, OwnsAnotherAccount, KeyInactive, AlreadyOnPlan, NoSubscription, BillingManual, InvitationUsed, TooManyItems, MessageFailed, IdempotencyKeyUsed, GatewayNotConnected, SenderPaused, PairingUnsupported, RecipientOptedOut, NotCancelable, NoEndpoint,
		InvitationExpired,
		PayloadTooLarge,
		UnsupportedMediaType,
		QuotaExceeded, RecipientLimitReached, OTPRateLimited, OTPBlocked, RateLimited,
		Internal,
		ProviderError,
		TooMuchUnderWay, StorageUnavailable, GatewayUnavailable, BillingUnavailable,
	}
}
