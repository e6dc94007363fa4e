package login

import griot "example.com/griot/client"

// The error codes of the login service, found in a [*griot.Error], for errors.Is(err, [ErrCodeExpired]).
const (
	// The request is invalid because of a bug in the application or in this package.
	ErrMissingParameter     griot.CodeError = "missing_parameter"
	ErrMalformedParameter   griot.CodeError = "malformed_parameter"
	ErrInvalidJSON          griot.CodeError = "invalid_json"
	ErrUnsupportedMediaType griot.CodeError = "unsupported_media_type"
	ErrBodyTooLarge         griot.CodeError = "body_too_large"
	ErrUnsupportedGrantType griot.CodeError = "unsupported_grant_type"
	ErrNotFound             griot.CodeError = "not_found"
	ErrMethodNotAllowed     griot.CodeError = "method_not_allowed"

	// The client is not allowed to make this call.
	ErrUnknownClient         griot.CodeError = "unknown_client"
	ErrClientInactive        griot.CodeError = "client_inactive"
	ErrClientAuthFailed      griot.CodeError = "client_auth_failed"
	ErrClientSecretMissing   griot.CodeError = "client_secret_missing"
	ErrClientNotConfidential griot.CodeError = "client_not_confidential"
	ErrTokenClientMismatch   griot.CodeError = "token_client_mismatch"

	// The code is not valid. The person must sign in again.
	ErrCodeUnknown          griot.CodeError = "code_unknown"
	ErrCodeExpired          griot.CodeError = "code_expired"
	ErrCodeUsed             griot.CodeError = "code_already_used"
	ErrCodeClientMismatch   griot.CodeError = "code_client_mismatch"
	ErrCodeRedirectMismatch griot.CodeError = "code_redirect_mismatch"
	ErrPKCEMismatch         griot.CodeError = "pkce_mismatch"
	ErrPKCEUnexpected       griot.CodeError = "pkce_unexpected"

	// A limit is reached, or the service has a problem. RetryAfter is the time to wait.
	ErrRateLimited        griot.CodeError = "rate_limited"
	ErrStorageUnavailable griot.CodeError = "storage_unavailable"
	ErrInternal           griot.CodeError = "internal"
)
