package apierror

// The four RFC 6749 error codes that the login service uses in error.
const (
	invalidRequest = "invalid_request"
	invalidClient  = "invalid_client"
	invalidGrant   = "invalid_grant"
	accessDenied   = "access_denied"
)

func authKind(status int, oauth, code, text, fix string) *Kind {
	return &Kind{Service: Auth, Status: status, OAuth: oauth, Code: code, Text: text, Fix: fix}
}

// Errors of the login service. 429 and 503 use access_denied, the closest of the four codes.
var (
	AuthMissingParameter    = authKind(400, invalidRequest, "missing_parameter", "A required parameter is missing.", "Send the parameter that the description names.")
	AuthMalformedParameter  = authKind(400, invalidRequest, "malformed_parameter", "A parameter doesn't have the required form.", "Correct the parameter that the description names.")
	AuthInvalidJSON         = authKind(400, invalidRequest, "invalid_json", "The body isn't one valid JSON object in UTF-8.", "Send a single JSON object. Don't send U+0000, lone surrogates, or an object that has the same name twice.")
	AuthMediaType           = authKind(400, invalidRequest, "unsupported_media_type", "The content type is not supported here.", "Send application/json. To exchange, revoke, or introspect, an application can also send application/x-www-form-urlencoded.")
	AuthBodyTooLarge        = authKind(400, invalidRequest, "body_too_large", "The body is too large.", "Send at most 16 KiB, or 1 MiB to /manage/clients.")
	AuthResponseType        = authKind(400, invalidRequest, "unsupported_response_type", "response_type must be code.", "Omit response_type, or send code.")
	AuthGrantType           = authKind(400, invalidRequest, "unsupported_grant_type", "grant_type must be authorization_code.", "Omit grant_type, or send authorization_code.")
	AuthOpenIDRequest       = authKind(400, invalidRequest, "openid_request", "A login can't fulfill this OpenID Connect request.", "Correct or omit the parameter that the description names.")
	AuthSignOutRequest      = authKind(400, invalidRequest, "sign_out_request", "The sign-out request can't be carried out. No one was signed out.", "Correct the parameter that the description names.")
	AuthStateLength         = authKind(400, invalidRequest, "state_length", "state must have 16 to 256 characters.", "Send a new random state of at least 16 characters.")
	AuthStateRequired       = authKind(400, invalidRequest, "state_required", "The request has neither state, nonce, nor code_challenge.", "Send at least one of them, or allow such requests in the client's settings (stateOptional).")
	AuthPKCERequired        = authKind(400, invalidRequest, "pkce_required", "A PUBLIC client must send code_challenge.", "Send code_challenge with code_challenge_method=S256.")
	AuthPKCEMethod          = authKind(400, invalidRequest, "pkce_method", "code_challenge_method can only be S256, and needs code_challenge.", "Use S256. Griot refuses plain.")
	AuthRedirectMismatch    = authKind(400, invalidRequest, "redirect_uri_mismatch", "redirect_uri isn't in the client's list.", "Send one of the registered addresses, character for character.")
	AuthLoginNotPending     = authKind(400, invalidRequest, "login_not_pending", "This login is past this step.", "Start a new login.")
	AuthLoginExpired        = authKind(400, invalidRequest, "login_expired", "This login has expired.", "Start a new login. A login lasts 90 seconds.")
	AuthSandboxLiveClient   = authKind(400, invalidRequest, "sandbox_live_client", "The sandbox is for TEST clients.", "Use a TEST client, or prove the login with a real message.")
	AuthSandboxNumber       = authKind(400, invalidRequest, "sandbox_number", "phoneE164 must be one of the ten sandbox numbers.", "Use 22300000001 to 22300000009 or 22300000099.")
	AuthTimestampSkew       = authKind(400, invalidRequest, "timestamp_skew", "timestamp is more than 60 seconds away from the server's time.", "Send the current Unix time in milliseconds. Keep the server's clock synchronized.")
	AuthReceiverMismatch    = authKind(400, invalidRequest, "receiver_mismatch", "Another number than this login's received the message.", "Send the receiverPhoneId of the number that received the message.")
	AuthWordsMismatch       = authKind(400, invalidRequest, "words_mismatch", "The message doesn't have this login's words.", "Send the words as the waiting page shows them.")
	AuthMessageReplayed     = authKind(400, invalidRequest, "message_replayed", "This message has already proved another login.", "Ask the person to send a new message. A message proves only one login.")
	AuthLoginUnknown        = authKind(400, invalidRequest, "login_unknown", "The login doesn't exist.", "Send the loginKeyId of a login that this service started.")
	AuthUnknownClient       = authKind(400, invalidClient, "unknown_client", "client_id doesn't match a registered client.", "Copy the client ID again.")
	AuthClientInactive      = authKind(400, invalidClient, "client_inactive", "This client is disabled.", "Enable the client, or use another.")
	AuthNoEndpoint          = authKind(400, invalidRequest, "no_endpoint", "This tenant has no webhook endpoint.", "Ask the operator to set the endpoint's URL.")
	AuthClientIsPublic      = authKind(400, invalidRequest, "client_is_public", "A PUBLIC client has no secret.", "Rotate only the secrets of CONFIDENTIAL clients. A PUBLIC client uses PKCE instead.")
	AuthTooManyClients      = authKind(400, invalidRequest, "too_many_clients", "This tenant has the maximum of 200 clients.", "Add redirect addresses to an existing client, or ask the operator to delete a client.")
	AuthTooManyDomains      = authKind(400, invalidRequest, "too_many_domains", "This tenant has the maximum of 20 domains.", "Remove a domain that no client uses.")
	AuthCodeUnknown         = authKind(400, invalidGrant, "code_unknown", "The code doesn't exist.", "Send the code exactly as you received it.")
	AuthCodeExpired         = authKind(400, invalidGrant, "code_expired", "The code has expired.", "Start a new login. Exchange its code within 60 seconds.")
	AuthCodeUsed            = authKind(400, invalidGrant, "code_already_used", "The code has been used.", "Start a new login. Exchange its code only once.")
	AuthCodeClientMismatch  = authKind(400, invalidGrant, "code_client_mismatch", "The code was issued to another client.", "Use the client that started the login.")
	AuthCodeRedirect        = authKind(400, invalidGrant, "code_redirect_mismatch", "redirect_uri isn't the one that the login started with.", "Send the same redirect_uri as to /authorize.")
	AuthPKCEMismatch        = authKind(400, invalidGrant, "pkce_mismatch", "code_verifier doesn't match the login's code_challenge.", "Send the verifier that you created the challenge from.")
	AuthPKCEUnexpected      = authKind(400, invalidGrant, "pkce_unexpected", "A code_verifier was sent, but the login had no code_challenge.", "Send code_challenge to /authorize, or omit code_verifier.")
	AuthTokenClientMismatch = authKind(400, invalidGrant, "token_client_mismatch", "The token was issued to another client.", "Revoke the token with the client that it was issued to.")
	AuthClientAuthFailed    = authKind(401, invalidClient, "client_auth_failed", "The client's credentials are wrong.", "Check client_id and client_secret.")
	AuthClientSecretMissing = authKind(401, invalidClient, "client_secret_missing", "This client must authenticate with its secret.", "Send client_secret.")
	AuthClientPublic        = authKind(401, invalidClient, "client_not_confidential", "Only a CONFIDENTIAL client can make this request.", "Introspect with a client that authenticates with a secret.")
	AuthClientInactiveToken = authKind(401, invalidClient, "client_inactive", "This client is disabled.", "Enable the client, or use another.")
	AuthSessionMissing      = authKind(401, accessDenied, "session_missing", "The session cookie is missing.", "Call from the browser that opened /authorize, with its cookies.")
	AuthSessionExpired      = authKind(401, accessDenied, "session_expired", "The session has ended.", "Start a new login.")
	AuthDashboardMissing    = authKind(401, accessDenied, "dashboard_missing", "The dashboard cookie is missing.", "Sign in at /manage/login, and keep its cookie.")
	AuthDashboardExpired    = authKind(401, accessDenied, "dashboard_expired", "The dashboard session has ended.", "Sign in again. A session lasts an hour.")
	AuthInvitationInvalid   = authKind(401, accessDenied, "invitation_invalid", "The invitation key doesn't open this tenant's dashboard.", "Check tenantId and key. If the invitation has expired, was revoked, or was already used once, ask for a new one.")
	AuthSignatureMissing    = authKind(401, accessDenied, "signature_missing", "X-Gateway-Signature is missing.", "Sign the raw body with hex HMAC-SHA256 and the gateway's secret.")
	AuthSignatureInvalid    = authKind(401, accessDenied, "signature_invalid", "X-Gateway-Signature is wrong.", "Sign exactly the bytes of the body with the gateway's current secret.")
	AuthTokenMissing        = authKind(401, accessDenied, "token_missing", "The access token is missing.", "Send Authorization: Bearer <access_token>, or a form with access_token.")
	AuthTokenInvalid        = authKind(401, accessDenied, "token_invalid", "The access token is invalid or no longer valid.", "Start a new login, and send its access token within 15 minutes.")
	AuthScopeInsufficient   = authKind(403, accessDenied, "insufficient_scope", "The access token is from a login without the scope openid.", "Start the login with scope=openid.")
	AuthOriginMismatch      = authKind(403, accessDenied, "origin_mismatch", "The request must come from this service's own pages.", "Send the service's own Origin. Don't call this from other sites.")
	AuthSessionMismatch     = authKind(403, accessDenied, "session_mismatch", "This login belongs to another browser.", "Use the browser that started the login.")
	AuthClientNotFound      = authKind(403, accessDenied, "client_not_found", "The tenant doesn't have this client.", "Send the ID of a client from /manage/overview.")
	AuthEndpointDisabled    = authKind(403, accessDenied, "endpoint_disabled", "The operator has disabled the webhook endpoint.", "Ask the operator to enable it.")
	AuthNotLoopback         = authKind(403, accessDenied, "not_loopback", "This endpoint is available only on the loopback interface.", "Call it from the same machine, without a proxy.")
	AuthPhoneConflict       = authKind(403, accessDenied, "phone_conflict", "Two different phones sent this login's words, so the login is closed.", "Start a new login. If this wasn't you, ignore it.")
	AuthPersonMismatch      = authKind(403, accessDenied, "person_mismatch", "The application asked for another person than the sender of this login's words. The login is closed.", "Start a new login, and ask that person to send its words.")
	AuthNotFound            = authKind(404, invalidRequest, "not_found", "There is nothing at this address.", "Check the path in /openapi.yaml.")
	AuthPersonNotFound      = authKind(404, invalidRequest, "person_not_found", "The tenant doesn't have this person.", "Send the ID of a person from /manage/people. It is the subject of their tokens.")
	AuthEventNotFound       = authKind(404, invalidRequest, "event_not_found", "The event wasn't found.", "Send the ID of an event from /manage/webhook/events.")
	AuthNumberNotReported   = authKind(409, invalidRequest, "number_not_reported", "WhatsApp hasn't reported this number as the person's new number.", "Read the person again, and send the number that is reported now.")
	AuthNumberTaken         = authKind(409, invalidRequest, "number_taken", "Another person of the tenant has the new number.", "Erase that person, or ask the operator to detach them from the number. Then try again.")
	AuthDomainNotFound      = authKind(404, invalidRequest, "domain_not_found", "The tenant doesn't have this domain.", "Send a domain from /manage/domains, or add it first.")
	AuthDomainNotProven     = authKind(409, invalidRequest, "domain_not_proven", "The tenant hasn't proven the domain, so email_verified can't be true.", "Add the domain in /manage/domains, publish its TXT record, and verify it. Or send emailVerified false or null.")
	AuthDomainTaken         = authKind(409, invalidRequest, "domain_taken", "Another tenant has proven this domain.", "Use another domain. If the domain is yours now, remove the other tenant's TXT record, publish your own, and verify it.")
	AuthDomainRecordMissing = authKind(409, invalidRequest, "domain_record_missing", "The name has no TXT record.", "Publish the record from /manage/domains, wait until your DNS provider serves it, and try again.")
	AuthReplacesMismatch    = authKind(409, invalidRequest, "replaces_mismatch", "The client has a value that the change doesn't name. Changing it gives everyone other accounts in the program.", "Read the settings again. If you want to replace the value, send it in replacesEmailDomain or replacesPreferredUsername.")
	AuthMethod              = authKind(405, invalidRequest, "method_not_allowed", "This address doesn't support this method.", "Use a method from the Allow header.")
	AuthRateLimited         = authKind(429, accessDenied, "rate_limited", "Too many requests.", "Wait for the seconds in Retry-After.")
	AuthStorageUnavailable  = authKind(503, accessDenied, "storage_unavailable", "The service can't reach its storage.", "Retry after the seconds in Retry-After.")
	AuthTooManyLogins       = authKind(503, accessDenied, "too_many_logins", "No free words are left for this receiver.", "Retry in a moment.")
	AuthNoLoginNumber       = authKind(503, accessDenied, "no_login_number", "No login number is configured, so no one can sign in by message.", "Add a number and its gateway to auth.receivers.")
	AuthDomainLookup        = authKind(409, invalidRequest, "domain_lookup_failed", "DNS didn't answer the question for the domain's TXT record.", "Try again in a few minutes. If it fails again, check the domain's name servers.")
	AuthInternal            = authKind(500, accessDenied, "internal", "Something went wrong on our side.", "Retry. If you report the error, include request_id.")
)

// AuthMalformed returns an [AuthMalformedParameter] about a field or parameter, with its form in words.
func AuthMalformed(field, form string) *Error {
	return AuthMalformedParameter.On(field).Detailf("%s must be %s.", field, form)
}

// AuthKinds returns the auth service's errors, sorted by status in ascending order.
func AuthKinds() []*Kind {
	return []*Kind{
		AuthMissingParameter, AuthMalformedParameter, AuthInvalidJSON, AuthMediaType, AuthBodyTooLarge, AuthResponseType, AuthGrantType,
		AuthOpenIDRequest, AuthSignOutRequest, AuthStateLength, AuthStateRequired, AuthPKCERequired, AuthPKCEMethod, AuthRedirectMismatch, AuthLoginNotPending, AuthLoginExpired,
		AuthSandboxLiveClient, AuthSandboxNumber, AuthTimestampSkew, AuthReceiverMismatch, AuthWordsMismatch, AuthMessageReplayed, AuthLoginUnknown,
		AuthUnknownClient, AuthClientInactive, AuthNoEndpoint, AuthClientIsPublic, AuthTooManyClients, AuthTooManyDomains, AuthCodeUnknown, AuthCodeExpired, AuthCodeUsed, AuthCodeClientMismatch,
		AuthCodeRedirect, AuthPKCEMismatch, AuthPKCEUnexpected,
		AuthTokenClientMismatch, AuthClientAuthFailed, AuthClientSecretMissing, AuthClientPublic, AuthClientInactiveToken, AuthSessionMissing, AuthSessionExpired,
		AuthDashboardMissing, AuthDashboardExpired, AuthInvitationInvalid, AuthSignatureMissing, AuthSignatureInvalid,
		AuthTokenMissing, AuthTokenInvalid, AuthScopeInsufficient, AuthOriginMismatch, AuthSessionMismatch, AuthClientNotFound, AuthEndpointDisabled, AuthNotLoopback, AuthPhoneConflict, AuthPersonMismatch,
		AuthNotFound, AuthPersonNotFound, AuthEventNotFound, AuthDomainNotFound, AuthNumberNotReported, AuthNumberTaken, AuthDomainNotProven, AuthDomainTaken, AuthDomainRecordMissing, AuthReplacesMismatch, AuthMethod, AuthRateLimited, AuthInternal, AuthStorageUnavailable, AuthTooManyLogins, AuthNoLoginNumber, AuthDomainLookup,
	}
}
