package fault

// The four words of RFC 6749 that the login service's error has.
const (
	invalidRequest = "invalid_request"
	invalidClient  = "invalid_client"
	invalidGrant   = "invalid_grant"
	accessDenied   = "access_denied"
)

func authKind(status int, oauth, code, text, fix string) *Kind {
	return &Kind{Service: Auth, Status: status, OAuth: oauth, Code: code, Text: text, Fix: fix}
}

// Errors of the login service. 429 and 503 use access_denied, the nearest of the four words.
var (
	AuthMissingParameter    = authKind(400, invalidRequest, "missing_parameter", "A required parameter is missing.", "Send the parameter that the description names.")
	AuthMalformedParameter  = authKind(400, invalidRequest, "malformed_parameter", "A parameter does not have the required form.", "Correct the parameter that the description names.")
	AuthInvalidJSON         = authKind(400, invalidRequest, "invalid_json", "The body is not one valid JSON object in UTF-8.", "Send a single JSON object without U+0000 and lone surrogates, whose objects have each name once.")
	AuthMediaType           = authKind(400, invalidRequest, "unsupported_media_type", "The content type is not supported here.", "Send application/json; where applications exchange, revoke or introspect, application/x-www-form-urlencoded serves too.")
	AuthBodyTooLarge        = authKind(400, invalidRequest, "body_too_large", "The body is too large.", "Send at most 16 KiB, and 1 MiB to /manage/clients.")
	AuthResponseType        = authKind(400, invalidRequest, "unsupported_response_type", "response_type must be code.", "Leave response_type out or send code.")
	AuthGrantType           = authKind(400, invalidRequest, "unsupported_grant_type", "grant_type must be authorization_code.", "Leave grant_type out or send authorization_code.")
	AuthOpenIDRequest       = authKind(400, invalidRequest, "openid_request", "The OpenID Connect request can't be answered with a login.", "Correct or leave out the parameter that the description names.")
	AuthSignOutRequest      = authKind(400, invalidRequest, "sign_out_request", "The sign-out request can't be carried out. Nobody was signed out.", "Correct the parameter that the description names.")
	AuthStateLength         = authKind(400, invalidRequest, "state_length", "state must have 16 to 256 characters.", "Send a fresh random state of at least 16 characters.")
	AuthPKCERequired        = authKind(400, invalidRequest, "pkce_required", "A PUBLIC client must send code_challenge.", "Send code_challenge with code_challenge_method=S256.")
	AuthPKCEMethod          = authKind(400, invalidRequest, "pkce_method", "code_challenge_method can only be S256, and comes with code_challenge.", "Use S256; plain is refused.")
	AuthRedirectMismatch    = authKind(400, invalidRequest, "redirect_uri_mismatch", "redirect_uri is not in the client's list.", "Send one of the registered addresses, character for character.")
	AuthLoginNotPending     = authKind(400, invalidRequest, "login_not_pending", "This login is past that step.", "Start a new login.")
	AuthLoginExpired        = authKind(400, invalidRequest, "login_expired", "This login has expired.", "Start a new login; one lasts 90 seconds.")
	AuthSandboxLiveClient   = authKind(400, invalidRequest, "sandbox_live_client", "The sandbox is for TEST clients.", "Use a TEST client, or prove the login with a real message.")
	AuthSandboxNumber       = authKind(400, invalidRequest, "sandbox_number", "phoneE164 must be one of the ten sandbox numbers.", "Use 22300000001 to 22300000009 or 22300000099.")
	AuthTimestampSkew       = authKind(400, invalidRequest, "timestamp_skew", "timestamp is more than 60 seconds away from the server's time.", "Send the current Unix time in milliseconds and keep the clock synchronised.")
	AuthReceiverMismatch    = authKind(400, invalidRequest, "receiver_mismatch", "The message was received by another number than this login's.", "Send receiverPhoneId of the number that received the message.")
	AuthWordsMismatch       = authKind(400, invalidRequest, "words_mismatch", "The message does not hold this login's words.", "Send the words as the waiting page shows them.")
	AuthMessageReplayed     = authKind(400, invalidRequest, "message_replayed", "This message has proved another login already.", "One message proves one login: have the person send a new one.")
	AuthLoginUnknown        = authKind(400, invalidRequest, "login_unknown", "There is no such login.", "Send the loginKeyId of a login that this service started.")
	AuthUnknownClient       = authKind(400, invalidClient, "unknown_client", "No such client.", "Check client_id.")
	AuthClientInactive      = authKind(400, invalidClient, "client_inactive", "This client is switched off.", "Switch the client on, or use another.")
	AuthNoEndpoint          = authKind(400, invalidRequest, "no_endpoint", "This tenant has no webhook endpoint.", "Ask whoever runs this service to set its address.")
	AuthClientIsPublic      = authKind(400, invalidRequest, "client_is_public", "A PUBLIC client has no secret.", "Rotate CONFIDENTIAL clients only; a PUBLIC one proves itself by PKCE.")
	AuthTooManyClients      = authKind(400, invalidRequest, "too_many_clients", "This tenant has 200 clients.", "Reuse a client with more redirect addresses, or ask the operator to delete one.")
	AuthCodeUnknown         = authKind(400, invalidGrant, "code_unknown", "No such code.", "Exchange the code exactly as it was handed back.")
	AuthCodeExpired         = authKind(400, invalidGrant, "code_expired", "The code has expired.", "Exchange a code within 60 seconds; start a new login.")
	AuthCodeUsed            = authKind(400, invalidGrant, "code_already_used", "The code has been used.", "Exchange a code once only; start a new login.")
	AuthCodeClientMismatch  = authKind(400, invalidGrant, "code_client_mismatch", "The code was issued to another client.", "Use the client that started the login.")
	AuthCodeRedirect        = authKind(400, invalidGrant, "code_redirect_mismatch", "redirect_uri is not the one that the login was started with.", "Repeat the redirect_uri of /authorize.")
	AuthPKCEMismatch        = authKind(400, invalidGrant, "pkce_mismatch", "code_verifier does not match the login's code_challenge.", "Send the verifier from which the challenge was made.")
	AuthPKCEUnexpected      = authKind(400, invalidGrant, "pkce_unexpected", "A code_verifier was sent, but the login had no code_challenge.", "Send code_challenge at /authorize, or no verifier.")
	AuthTokenClientMismatch = authKind(400, invalidGrant, "token_client_mismatch", "The token was issued to another client.", "Revoke a token with the client that it was issued to.")
	AuthClientAuthFailed    = authKind(401, invalidClient, "client_auth_failed", "The client's credentials are wrong.", "Check client_id and client_secret.")
	AuthClientSecretMissing = authKind(401, invalidClient, "client_secret_missing", "This client must authenticate with its secret.", "Send client_secret.")
	AuthClientPublic        = authKind(401, invalidClient, "client_not_confidential", "Only a CONFIDENTIAL client may ask this.", "Introspect with a client that authenticates with a secret.")
	AuthClientInactiveToken = authKind(401, invalidClient, "client_inactive", "This client is switched off.", "Switch the client on, or use another.")
	AuthSessionMissing      = authKind(401, accessDenied, "session_missing", "The session cookie is missing.", "Call from the browser that opened /authorize, with its cookies.")
	AuthSessionExpired      = authKind(401, accessDenied, "session_expired", "The session is gone.", "Start a new login.")
	AuthDashboardMissing    = authKind(401, accessDenied, "dashboard_missing", "The dashboard cookie is missing.", "Sign in at /manage/login and keep its cookie.")
	AuthDashboardExpired    = authKind(401, accessDenied, "dashboard_expired", "The dashboard session is over.", "Sign in again; a session lasts an hour.")
	AuthInvitationInvalid   = authKind(401, accessDenied, "invitation_invalid", "The invitation key does not open this tenant's dashboard.", "Check tenantId and key; ask for a new invitation if it has expired, was revoked or was for one use.")
	AuthSignatureMissing    = authKind(401, accessDenied, "signature_missing", "X-Gateway-Signature is missing.", "Sign the raw body: hex HMAC-SHA256 under the gateway's secret.")
	AuthSignatureInvalid    = authKind(401, accessDenied, "signature_invalid", "X-Gateway-Signature is wrong.", "Sign exactly the bytes of the body with the gateway's current secret.")
	AuthTokenMissing        = authKind(401, accessDenied, "token_missing", "The access token is missing.", "Send Authorization: Bearer <access_token>, or a form with access_token.")
	AuthTokenInvalid        = authKind(401, accessDenied, "token_invalid", "The access token is not valid, or not any more.", "Send the access token of a login, within 15 minutes; start a new login.")
	AuthScopeInsufficient   = authKind(403, accessDenied, "insufficient_scope", "The access token is of a login without the scope openid.", "Start the login with scope=openid.")
	AuthOriginMismatch      = authKind(403, accessDenied, "origin_mismatch", "The request must come from this service's own pages.", "Send an Origin equal to the service's own; do not call this from other sites.")
	AuthSessionMismatch     = authKind(403, accessDenied, "session_mismatch", "This login belongs to another browser.", "Use the browser that started the login.")
	AuthClientNotFound      = authKind(403, accessDenied, "client_not_found", "This tenant has no such client.", "Send the id of one of the clients that /manage/overview lists.")
	AuthEndpointDisabled    = authKind(403, accessDenied, "endpoint_disabled", "Whoever runs this service has disabled the webhook endpoint.", "Ask them to enable it.")
	AuthNotLoopback         = authKind(403, accessDenied, "not_loopback", "This endpoint answers on the loopback interface only.", "Call it from the same machine, and not through a proxy.")
	AuthPhoneConflict       = authKind(403, accessDenied, "phone_conflict", "Two different phones sent this login's words. The login is closed.", "Start a new login; if this was not you, ignore it.")
	AuthPersonMismatch      = authKind(403, accessDenied, "person_mismatch", "The application asked for another person than the one who sent this login's words. The login is closed.", "Start a new login, and have that person send its words.")
	AuthNotFound            = authKind(404, invalidRequest, "not_found", "There is nothing at this address.", "Check the path against /openapi.yaml.")
	AuthPersonNotFound      = authKind(404, invalidRequest, "person_not_found", "This tenant has no such person.", "Send the id of one of the people that /manage/people lists: it is the subject of their tokens.")
	AuthEventNotFound       = authKind(404, invalidRequest, "event_not_found", "There is no such event.", "Send the id of one of the events that /manage/webhook/events lists.")
	AuthMethod              = authKind(405, invalidRequest, "method_not_allowed", "This address does not take that method.", "Use a method that the Allow header names.")
	AuthRateLimited         = authKind(429, accessDenied, "rate_limited", "Too many requests.", "Wait for the seconds in Retry-After.")
	AuthStorageUnavailable  = authKind(503, accessDenied, "storage_unavailable", "The service cannot reach its storage.", "Try again after the seconds in Retry-After.")
	AuthTooManyLogins       = authKind(503, accessDenied, "too_many_logins", "No free words are left for this receiver.", "Try again in a moment.")
	AuthInternal            = authKind(500, accessDenied, "internal", "Something went wrong on our side.", "Try again; quote request_id when you report it.")
)

// AuthKinds lists the auth service's errors by their statuses, in ascending order.
func AuthKinds() []*Kind {
	return []*Kind{
		AuthMissingParameter, AuthMalformedParameter, AuthInvalidJSON, AuthMediaType, AuthBodyTooLarge, AuthResponseType, AuthGrantType,
		AuthOpenIDRequest, AuthSignOutRequest, AuthStateLength, AuthPKCERequired, AuthPKCEMethod, AuthRedirectMismatch, AuthLoginNotPending, AuthLoginExpired,
		AuthSandboxLiveClient, AuthSandboxNumber, AuthTimestampSkew, AuthReceiverMismatch, AuthWordsMismatch, AuthMessageReplayed, AuthLoginUnknown,
		AuthUnknownClient, AuthClientInactive, AuthNoEndpoint, AuthClientIsPublic, AuthTooManyClients, AuthCodeUnknown, AuthCodeExpired, AuthCodeUsed, AuthCodeClientMismatch,
		AuthCodeRedirect, AuthPKCEMismatch, AuthPKCEUnexpected,
		AuthTokenClientMismatch, AuthClientAuthFailed, AuthClientSecretMissing, AuthClientPublic, AuthClientInactiveToken, AuthSessionMissing, AuthSessionExpired,
		AuthDashboardMissing, AuthDashboardExpired, AuthInvitationInvalid, AuthSignatureMissing, AuthSignatureInvalid,
		AuthTokenMissing, AuthTokenInvalid, AuthScopeInsufficient, AuthOriginMismatch, AuthSessionMismatch, AuthClientNotFound, AuthEndpointDisabled, AuthNotLoopback, AuthPhoneConflict, AuthPersonMismatch,
		AuthNotFound, AuthPersonNotFound, AuthEventNotFound, AuthMethod, AuthRateLimited, AuthInternal, AuthStorageUnavailable, AuthTooManyLogins,
	}
}
