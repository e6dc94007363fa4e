package griot

// What the API can refuse a key with, for errors.Is(err, [ErrQuotaExceeded]). /docs/errors of the service says what to do
// about each.
const (
	// The request is wrong. Nothing was stored.
	ErrInvalidRequest        CodeError = "invalid_request" // [Error.Field] says what is missing or wrong
	ErrInvalidJSON           CodeError = "invalid_json"
	ErrInvalidPhone          CodeError = "invalid_phone"
	ErrInvalidEmail          CodeError = "invalid_email"
	ErrInvalidChannel        CodeError = "invalid_channel"
	ErrInvalidPreset         CodeError = "invalid_preset"
	ErrMissingVariable       CodeError = "missing_variable" // of a preset
	ErrSensitiveNotAllowed   CodeError = "sensitive_not_allowed"
	ErrInvalidCursor         CodeError = "invalid_cursor"
	ErrMediaNotSupported     CodeError = "media_not_supported"
	ErrInvalidIdempotencyKey CodeError = "invalid_idempotency_key"
	ErrIdempotencyMismatch   CodeError = "idempotency_mismatch"
	ErrBatchTooLarge         CodeError = "batch_too_large"
	ErrPayloadTooLarge       CodeError = "payload_too_large"
	ErrUnsupportedMediaType  CodeError = "unsupported_media_type"
	ErrMethodNotAllowed      CodeError = "method_not_allowed" // the service is older than this client, or not a Griot

	// The key may not do that.
	ErrUnauthorized     CodeError = "unauthorized" // the key is unknown or revoked
	ErrForbidden        CodeError = "forbidden"
	ErrAccountClosed    CodeError = "account_closed"
	ErrAccountSuspended CodeError = "account_suspended"
	ErrLiveKeyRequired  CodeError = "live_key_required" // a project's or a test key has no access
	ErrPlanRequired     CodeError = "plan_required"     // [Error.RequiredPlan] has it

	// What was named is not there.
	ErrMessageNotFound      CodeError = "message_not_found"
	ErrConversationNotFound CodeError = "conversation_not_found"
	ErrEventNotFound        CodeError = "event_not_found"
	ErrSenderNotFound       CodeError = "sender_not_found"
	ErrProjectNotFound      CodeError = "project_not_found"
	ErrOptOutNotFound       CodeError = "opt_out_not_found"
	ErrWebhookNotConfigured CodeError = "webhook_not_configured"
	ErrNotFound             CodeError = "not_found" // an address; of [Client.VerifyCode], a challenge

	// The message cannot go, or not be called back.
	ErrMessageFailed       CodeError = "message_failed"        // or expired; [Error.MessageID] has the one of this idempotency key
	ErrIdempotencyKeyUsed  CodeError = "idempotency_key_used"  // for something else
	ErrGatewayNotConnected CodeError = "gateway_not_connected" // nothing was stored
	ErrSenderPaused        CodeError = "sender_paused"         // nothing was stored
	ErrRecipientOptedOut   CodeError = "recipient_opted_out"   // nothing was stored
	ErrNotCancelable       CodeError = "not_cancelable"        // [Error.MessageStatus] says where it is
	ErrProviderError       CodeError = "provider_error"        // the message is stored, and has failed for good

	// A one-time code was not verified.
	ErrInvalidCode     CodeError = "invalid_code"
	ErrExpired         CodeError = "expired"
	ErrTooManyAttempts CodeError = "too_many_attempts"

	// Too much, for now. [Error.RetryAfter] says until when.
	ErrQuotaExceeded         CodeError = "quota_exceeded" // the day's
	ErrRecipientLimitReached CodeError = "recipient_limit_reached"
	ErrRateLimited           CodeError = "rate_limited"
	ErrOTPRateLimited        CodeError = "otp_rate_limited" // a number has asked for three codes in ten minutes
	ErrOTPBlocked            CodeError = "otp_blocked"      // codes to numbers like this one are held back

	// The service is in trouble. Nothing was accepted.
	ErrOverloaded         CodeError = "overloaded"
	ErrStorageUnavailable CodeError = "storage_unavailable"
	ErrInternal           CodeError = "internal" // this one may have had an effect

	// ErrUnexpectedAnswer is an answer that is not a Griot's: a proxy's page, for example.
	ErrUnexpectedAnswer CodeError = CodeUnexpected
)
