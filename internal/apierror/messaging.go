package apierror

func messagingKind(status int, code, text, fix string) *Kind {
	return &Kind{Service: Messaging, Status: status, Code: code, Text: text, Fix: fix}
}

// Errors of the messaging service.
var (
	InvalidRequest        = messagingKind(400, "invalid_request", "A field of the request is missing or wrong.", "Correct the field that the response names in field.")
	InvalidJSON           = messagingKind(400, "invalid_json", "The body isn't one valid JSON object in UTF-8.", "Send a single JSON object. Don't send U+0000, lone surrogates, or an object that has the same name twice.")
	InvalidPhone          = messagingKind(400, "invalid_phone", "to must be an E.164 phone number.", "Send a plus, the country code, and the number: 8 to 15 digits, such as +22370112233.")
	NumberRequired        = messagingKind(400, "number_required", "This needs a phone number, but to is a WhatsApp ID.", "Send codes and SMS to the person's number. To a WhatsApp ID, send other messages with channel whatsapp or auto.")
	InvalidEmail          = messagingKind(400, "invalid_email", "to must be an email address when channel is email.", "Send a plain address such as name@example.com.")
	InvalidChannel        = messagingKind(400, "invalid_channel", "channel isn't a channel of this service.", "Send whatsapp, sms, email, or auto.")
	InvalidPreset         = messagingKind(400, "invalid_preset", "preset isn't a known preset.", "Use otp, order_confirmed, order_shipped, delivery_out, appointment_reminder, or payment_received.")
	MissingVariable       = messagingKind(400, "missing_variable", "The preset needs a variable that is missing or empty.", "Send the variable of presetVariables that the response names in field.")
	SensitiveNotAllowed   = messagingKind(400, "sensitive_not_allowed", "A sensitive message can't have this field.", "Send it immediately, as text, to one person.")
	InvalidCursor         = messagingKind(400, "invalid_cursor", "The cursor isn't from this list.", "Send nextCursor of the previous page, unchanged.")
	MediaNotSupported     = messagingKind(400, "media_not_supported", "This channel can't send media.", "Send mediaUrl with channel whatsapp or auto.")
	InvalidIdempotencyKey = messagingKind(400, "invalid_idempotency_key", "An idempotency key has 1 to 255 printable Unicode characters.", "Send a key without control characters.")
	BatchTooLarge         = messagingKind(400, "batch_too_large", "A batch has at most 100 messages. Nothing was sent.", "Split the messages into several batches.")
	IdempotencyMismatch   = messagingKind(400, "idempotency_mismatch", "The header and the body have different idempotency keys. Nothing was sent.", "Send one key, or the same key in both.")
	OTPInvalidCode        = messagingKind(400, "invalid_code", "This is not the code.", "Let the person try again. After five wrong codes, send a new code.")
	OTPExpired            = messagingKind(400, "expired", "The code has expired.", "Send a new code.")
	OTPTooManyAttempts    = messagingKind(400, "too_many_attempts", "There were five wrong codes, so this challenge is locked.", "Send a new code.")
	OTPNotFound           = messagingKind(400, "not_found", "The challenge doesn't exist, or its code was used.", "Send a new code.")
	InvalidPlan           = messagingKind(400, "invalid_plan", "This plan or price isn't for sale.", "Send a plan from GET /api/billing, and one of its prices if it has several.")
	InvalidSignature      = messagingKind(400, "invalid_signature", "The payment provider didn't sign this event, or signed it more than five minutes ago.", "Send only the provider's own events. Check the endpoint's signing secret and the clock.")
	InvalidEvent          = messagingKind(400, "invalid_event", "The payment provider's event can't be read.", "Send the provider's own events, unchanged.")
	ModeMismatch          = messagingKind(400, "mode_mismatch", "The event is of the other mode. LIVE and TEST don't mix.", "Send the event to the deployment whose key has the same mode.")
	Unauthorized          = messagingKind(401, "unauthorized", "The API key is missing, unknown, or revoked.", "Send Authorization: Bearer <key> or X-API-Key: <key>.")
	Forbidden             = messagingKind(403, "forbidden", "This type of key can't call this endpoint.", "Use a type of key that has access.")
	SignInFailed          = messagingKind(401, "sign_in_failed", "The code is wrong, used, or expired, or was tried too often.", "Request a new code and enter it within ten minutes.")
	SessionRequired       = messagingKind(403, "session_required", "This request needs a dashboard session. Keys have no access.", "Sign in with POST /api/session, and send no key.")
	RecentCodeRequired    = messagingKind(403, "recent_code_required", "This request needs a code from an email of the last 15 minutes.", "Request a code with POST /api/session, send it to POST /api/session/verify with the session's cookie, and try again.")
	OriginMismatch        = messagingKind(403, "origin_mismatch", "Only a page of this service can send this request.", "Send the service's own Origin, as its pages do.")
	AccountRequired       = messagingKind(403, "account_required", "You are signed in, but you don't belong to an account.", "Accept an invitation first.")
	InvitationForeign     = messagingKind(403, "invitation_foreign", "The invitation is for another email address.", "Sign in with the invited address.")
	LiveKeyRequired       = messagingKind(403, "live_key_required", "This is for the account's owner. Project and test keys have no access.", "Use the account's live key.")
	PlanRequired          = messagingKind(403, "plan_required", "The account's plan doesn't include the inbox.", "Upgrade to the plan in requiredPlan or to a larger one.")
	MessageNotFound       = messagingKind(404, "message_not_found", "The message wasn't found.", "Check the ID, and whether the key has access to the message.")
	ConversationNotFound  = messagingKind(404, "conversation_not_found", "The conversation wasn't found.", "List the conversations. One that has been empty for a long time is deleted.")
	EventNotFound         = messagingKind(404, "event_not_found", "The event wasn't found.", "Check the ID. Events are kept for 30 days.")
	NotFound              = messagingKind(404, "not_found", "There is nothing at this address.", "Check the path in /openapi.yaml.")
	MethodNotAllowed      = messagingKind(405, "method_not_allowed", "This address doesn't support this method.", "Use a method from the Allow header.")
	SenderNotFound        = messagingKind(404, "sender_not_found", "The account doesn't have this sender on this channel.", "Omit senderId, or send the ID of one of the account's senders.")
	ProjectNotFound       = messagingKind(404, "project_not_found", "The account doesn't have this project.", "Send one of the account's projects.")
	KeyNotFound           = messagingKind(404, "key_not_found", "The key doesn't exist, or you can't manage it.", "Send a key from the list.")
	MemberNotFound        = messagingKind(404, "member_not_found", "The account doesn't have this member.", "Send a member from the list.")
	OptOutNotFound        = messagingKind(404, "opt_out_not_found", "The account doesn't have this opt-out.", "Send an opt-out from the list.")
	InvitationNotFound    = messagingKind(404, "invitation_not_found", "The invitation doesn't exist.", "Ask for a new invitation.")
	AccountClosed         = messagingKind(403, "account_closed", "The account is closed.", "To reopen it, contact the operator within 30 days.")
	AccountSuspended      = messagingKind(403, "account_suspended", "The operator has suspended the account.", "Contact the operator. Until the account is resumed, only sign-in, billing, and repeated idempotency keys work.")
	SubscriptionActive    = messagingKind(409, "subscription_active", "The account has a subscription that renews.", "Cancel it on the payment provider's page, and then close the account.")
	OwnsAnotherAccount    = messagingKind(409, "owns_another_account", "This member owns another account, and an address can own only one.", "Choose another member.")
	AccountNotFound       = messagingKind(404, "account_not_found", "You are signed in, but you don't belong to this account.", "Send an account from GET /api/session.")
	AlreadyMember         = messagingKind(409, "already_member", "This address already belongs to the account.", "You don't need to do anything.")
	KeyInactive           = messagingKind(409, "key_inactive", "The key has ended or was already replaced.", "Create a new key, or rotate a working key that has no end date.")
	AlreadyOnPlan         = messagingKind(409, "already_on_plan", "The account is already on this plan.", "You don't need to do anything.")
	NoSubscription        = messagingKind(409, "no_subscription", "The account has never paid for a plan here.", "Choose a plan with POST /api/billing/checkout.")
	BillingManual         = messagingKind(409, "billing_manual", "The operator of this service sets the plans.", "Ask the contact in the response of GET /api/billing.")
	InvitationUsed        = messagingKind(409, "invitation_used", "The invitation was already accepted.", "Sign in, or ask for a new invitation.")
	TooManyItems          = messagingKind(409, "too_many_items", "The account has the maximum number of these.", "Remove some that you no longer need.")
	MessageFailed         = messagingKind(409, "message_failed", "The message stored under this idempotency key has failed or expired.", "Check its status, and send again with a new key.")
	IdempotencyKeyUsed    = messagingKind(409, "idempotency_key_used", "This idempotency key belongs to another message, or to a code that has expired.", "Use a new key for a new request.")
	GatewayNotConnected   = messagingKind(409, "gateway_not_connected", "No gateway is connected for this channel. Nothing was stored or charged.", "Connect a gateway, or use the sandbox.")
	SenderPaused          = messagingKind(409, "sender_paused", "The senders that could send this are paused. Nothing was stored or charged.", "Resume a sender on the dashboard, or use another sender.")
	PairingUnsupported    = messagingKind(409, "pairing_unsupported", "The sender's gateway can't link numbers.", "Ask the operator. Only some gateways, such as griot-whatsapp, can link a number from here.")
	RecipientOptedOut     = messagingKind(409, "recipient_opted_out", "The recipient opted out of messages on this channel. Nothing was stored or charged.", "Don't try to bypass the opt-out. The recipient can reverse it by replying START. One-time codes are still sent.")
	MarketingStopped      = messagingKind(409, "marketing_stopped", "The recipient wants no marketing messages on WhatsApp. Nothing was stored or charged.", "Don't send marketing templates until the recipient resumes them in WhatsApp. Other messages are still sent.")
	NotCancelable         = messagingKind(409, "not_cancelable", "The message can no longer be canceled.", "Check its status.")
	InvitationExpired     = messagingKind(410, "invitation_expired", "The invitation has expired.", "Ask for a new invitation. An invitation is valid for seven days.")
	NoEndpoint            = messagingKind(409, "webhook_not_configured", "The account has no webhook endpoint.", "Ask the operator to set one, or use griot listen.")
	PayloadTooLarge       = messagingKind(413, "payload_too_large", "The body is too large.", "Send at most 1 MiB. The limit is 64 KiB for events of the payment provider, and 16 KiB to sign in.")
	UnsupportedMediaType  = messagingKind(415, "unsupported_media_type", "The content type is not supported here.", "Send application/json.")
	QuotaExceeded         = messagingKind(429, "quota_exceeded", "The account has used its daily quota.", "Retry after 00:00 UTC (see Retry-After), or upgrade at upgradeUrl.")
	RecipientLimitReached = messagingKind(429, "recipient_limit_reached", "The recipient has reached the account's daily limit per recipient.", "Retry after 00:00 UTC.")
	OTPRateLimited        = messagingKind(429, "otp_rate_limited", "There were three requests for this number in ten minutes.", "Wait for the seconds in Retry-After. The codes that were sent stay valid until they expire.")
	OTPBlocked            = messagingKind(429, "otp_blocked", "Codes to numbers like this one are blocked for now, because too many were sent or too few were verified.", "Wait for the seconds in Retry-After, or ask the operator. Make sure that a person asks for each code.")
	RateLimited           = messagingKind(429, "rate_limited", "Too many requests.", "Wait for the seconds in Retry-After.")
	Internal              = messagingKind(500, "internal", "Something went wrong on our side.", "Retry with the same idempotency key. If you report the error, include requestId.")
	ProviderError         = messagingKind(502, "provider_error", "The gateway refused the message or couldn't deliver it.", "Check error in the message's status. If the failure is temporary, you can send the message again.")
	TooMuchUnderWay       = messagingKind(503, "overloaded", "Too many messages are in progress. This one wasn't stored.", "Retry with the same idempotency key after the seconds in Retry-After.")
	StorageUnavailable    = messagingKind(503, "storage_unavailable", "The service can't reach its storage.", "Retry with the same idempotency key after the seconds in Retry-After.")
	GatewayUnavailable    = messagingKind(503, "gateway_unavailable", "The sender's gateway can't be reached, or refuses the service.", "Retry after the seconds in Retry-After. If the error continues, ask the operator.")
	BillingUnavailable    = messagingKind(503, "billing_unavailable", "The payment provider can't be reached. Nothing was changed.", "Retry after the seconds in Retry-After.")
)

// MessagingKinds returns the messaging service's errors, sorted by status.
func MessagingKinds() []*Kind {
	return []*Kind{
		InvalidRequest, InvalidJSON, InvalidPhone, NumberRequired, InvalidEmail, InvalidChannel, InvalidPreset, MissingVariable, SensitiveNotAllowed, InvalidCursor, MediaNotSupported, InvalidIdempotencyKey, BatchTooLarge, IdempotencyMismatch, OTPInvalidCode, OTPExpired, OTPTooManyAttempts, OTPNotFound, InvalidPlan, InvalidSignature, InvalidEvent, ModeMismatch,
		Unauthorized, SignInFailed,
		Forbidden, SessionRequired, RecentCodeRequired, OriginMismatch, AccountRequired, InvitationForeign, LiveKeyRequired, PlanRequired, AccountClosed, AccountSuspended,
		MessageNotFound, ConversationNotFound, EventNotFound, NotFound, SenderNotFound, ProjectNotFound, KeyNotFound, MemberNotFound, OptOutNotFound, InvitationNotFound, AccountNotFound,
		MethodNotAllowed,
		AlreadyMember, SubscriptionActive, OwnsAnotherAccount, KeyInactive, AlreadyOnPlan, NoSubscription, BillingManual, InvitationUsed, TooManyItems, MessageFailed, IdempotencyKeyUsed, GatewayNotConnected, SenderPaused, PairingUnsupported, RecipientOptedOut, MarketingStopped, NotCancelable, NoEndpoint,
		InvitationExpired,
		PayloadTooLarge,
		UnsupportedMediaType,
		QuotaExceeded, RecipientLimitReached, OTPRateLimited, OTPBlocked, RateLimited,
		Internal,
		ProviderError,
		TooMuchUnderWay, StorageUnavailable, GatewayUnavailable, BillingUnavailable,
	}
}
