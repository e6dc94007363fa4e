package login

import griot "example.com/griot/client"

// What the login service can refuse an application with, as a [*griot.Error], for errors.Is(err, [ErrCodeExpired]).
const (
	// The request is wrong: a mistake of the application, or of this package.
	ErrMissingParameter     griot.CodeError = "missing_parameter"
	ErrMalformedParameter   griot.CodeError = "malformed_parameter"
	ErrInvalidJSON          griot.CodeError = "invalid_json"
	ErrUnsupportedMediaType griot.CodeError = "unsupported_media_type"
	ErrBodyTooLarge         griot.CodeError = "body_too_large"
	ErrUnsupportedGrantType griot.CodeError = "unsupported_grant_type"
	ErrNotFound             griot.CodeError = "not_found"
	ErrMethodNotAllowed     griot.CodeError = "method_not_allowed"

	// The client is not one that may ask this.
	ErrUnknownClient         griot.CodeError = "unknown_client"
	ErrClientInactive        griot.CodeError = "client_inactive"
	ErrClientAuthFailed      griot.CodeError = "client_auth_failed"
	ErrClientSecretMissing   griot.CodeError = "client_secret_missing"
	ErrClientNotConfidential griot.CodeError = "client_not_confidential"
	ErrTokenClientMismatch   griot.CodeError = "token_client_mismatch"

	// The code is worth nothing: the person starts again.
	ErrCodeUnknown          griot.CodeError = "code_unknown"
	ErrCodeExpired          griot.CodeError = "code_expired"
	ErrCodeUsed             griot.CodeError = "code_already_used"
	ErrCodeClientMismatch   griot.CodeError = "code_client_mismatch"
	ErrCodeRedirectMismatch griot.CodeError = "code_redirect_mismatch"
	ErrPKCEMismatch         griot.CodeError = "pkce_mismatch"
	ErrPKCEUnexpected       griot.CodeError = "pkce_unexpected"

	// Too much, or too little, for now. RetryAfter says until when.
	ErrRateLimited        griot.CodeError = "rate_limited"
	ErrStorageUnavailable griot.CodeError = "storage_unavailable"
	ErrInternal           griot.CodeError = "internal"
)
