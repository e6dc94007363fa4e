package griot

// The error codes of the messaging API, for errors.Is(err, [ErrQuotaExceeded]). The page /docs/errors of the service
// explains each code and its fix.
const (
	// The request is invalid. Nothing was stored.
	ErrInvalidRequest        CodeError = "invalid_request" // [Error.Field] is the missing or invalid field
	ErrInvalidJSON           CodeError = "invalid_json"
	ErrInvalidPhone          CodeError = "invalid_phone"
	ErrNumberRequired        CodeError = "number_required" // SMS and codes can't be sent to a WhatsApp ID
	ErrInvalidEmail          CodeError = "invalid_email"
	ErrInvalidChannel        CodeError = "invalid_channel"
	ErrInvalidPreset         CodeError = "invalid_preset"
	ErrMissingVariable       CodeError = "missing_variable" // a variable of a preset
	ErrSensitiveNotAllowed   CodeError = "sensitive_not_allowed"
	ErrInvalidCursor         CodeError = "invalid_cursor"
	ErrMediaNotSupported     CodeError = "media_not_supported"
	ErrInvalidIdempotencyKey CodeError = "invalid_idempotency_key"
	ErrIdempotencyMismatch   CodeError = "idempotency_mismatch"
	ErrBatchTooLarge         CodeError = "batch_too_large"
	ErrPayloadTooLarge       CodeError = "payload_too_large"
	ErrUnsupportedMediaType  CodeError = "unsupported_media_type"
	ErrMethodNotAllowed      CodeError = "method_not_allowed" // the service is older than this client, is not Griot, or its operator has not enabled the operation

	// The key does not allow the call.
	ErrUnauthorized     CodeError = "unauthorized" // the key is unknown or revoked
	ErrForbidden        CodeError = "forbidden"
	ErrAccountClosed    CodeError = "account_closed"
	ErrAccountSuspended CodeError = "account_suspended"
	ErrLiveKeyRequired  CodeError = "live_key_required" // project keys and test keys have no access
	ErrPlanRequired     CodeError = "plan_required"     // [Error.RequiredPlan] is the plan that allows it

	// The resource does not exist.
	ErrMessageNotFound      CodeError = "message_not_found"
	ErrConversationNotFound CodeError = "conversation_not_found"
	ErrEventNotFound        CodeError = "event_not_found"
	ErrSenderNotFound       CodeError = "sender_not_found"
	ErrProjectNotFound      CodeError = "project_not_found"
	ErrOptOutNotFound       CodeError = "opt_out_not_found"
	ErrWebhookNotConfigured CodeError = "webhook_not_configured"
	ErrNotFound             CodeError = "not_found" // a URL, or the challenge of [Client.VerifyCode]

	// The message cannot be sent or canceled.
	ErrMessageFailed       CodeError = "message_failed"        // or expired; [Error.MessageID] is the message with this idempotency key
	ErrIdempotencyKeyUsed  CodeError = "idempotency_key_used"  // for another request
	ErrGatewayNotConnected CodeError = "gateway_not_connected" // nothing was stored
	ErrSenderPaused        CodeError = "sender_paused"         // nothing was stored
	ErrRecipientOptedOut   CodeError = "recipient_opted_out"   // nothing was stored
	ErrMarketingStopped    CodeError = "marketing_stopped"     // nothing was stored
	ErrNotCancelable       CodeError = "not_cancelable"        // [Error.MessageStatus] is its status
	ErrProviderError       CodeError = "provider_error"        // the message was stored and has permanently failed

	// The one-time code was not verified.
	ErrInvalidCode     CodeError = "invalid_code"
	ErrExpired         CodeError = "expired"
	ErrTooManyAttempts CodeError = "too_many_attempts"

	// A limit is reached. [Error.RetryAfter] is the time to wait.
	ErrQuotaExceeded         CodeError = "quota_exceeded" // the daily quota
	ErrRecipientLimitReached CodeError = "recipient_limit_reached"
	ErrRateLimited           CodeError = "rate_limited"
	ErrOTPRateLimited        CodeError = "otp_rate_limited" // three codes to this number in ten minutes
	ErrOTPBlocked            CodeError = "otp_blocked"      // codes to similar numbers are blocked

	// The service has a problem. Nothing was accepted.
	ErrOverloaded         CodeError = "overloaded"
	ErrStorageUnavailable CodeError = "storage_unavailable"
	ErrInternal           CodeError = "internal" // unlike the others, the call might have had an effect

	// ErrUnexpectedAnswer reports a response that is not from Griot, such as the error page of a proxy.
	ErrUnexpectedAnswer CodeError = CodeUnexpected
)
