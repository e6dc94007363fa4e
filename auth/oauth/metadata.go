package oauth

import "slices"

// Metadata is the body of /.well-known/oauth-authorization-server (RFC 8414 §2).
type Metadata struct {
	Issuer                string   `json:"issuer"`
	AuthorizationEndpoint string   `json:"authorization_endpoint"`
	TokenEndpoint         string   `json:"token_endpoint"`
	JWKSURI               string   `json:"jwks_uri"`
	ResponseTypes         []string `json:"response_types_supported"`
	ResponseModes         []string `json:"response_modes_supported"`
	GrantTypes            []string `json:"grant_types_supported"`
	ChallengeMethods      []string `json:"code_challenge_methods_supported"`
	TokenAuthMethods      []string `json:"token_endpoint_auth_methods_supported"`
	RevocationEndpoint    string   `json:"revocation_endpoint"`
	RevocationMethods     []string `json:"revocation_endpoint_auth_methods_supported"`
	IntrospectionEndpoint string   `json:"introspection_endpoint"`
	IntrospectionMethods  []string `json:"introspection_endpoint_auth_methods_supported"`
	IssInResponse         bool     `json:"authorization_response_iss_parameter_supported"` // RFC 9207
	UILocales             []string `json:"ui_locales_supported"`
	Policy                string   `json:"op_policy_uri"`
	Terms                 string   `json:"op_tos_uri"`
}

// OpenIDMetadata is the body of /.well-known/openid-configuration (OpenID Connect Discovery 1.0 §3).
type OpenIDMetadata struct {
	Metadata
	UserInfoEndpoint    string   `json:"userinfo_endpoint"`
	EndSessionEndpoint  string   `json:"end_session_endpoint"`
	Scopes              []string `json:"scopes_supported"`
	Claims              []string `json:"claims_supported"`
	SubjectTypes        []string `json:"subject_types_supported"` // pairwise: a person's sub differs by tenant and mode
	IDTokenAlgorithms   []string `json:"id_token_signing_alg_values_supported"`
	Prompts             []string `json:"prompt_values_supported"`
	ClaimsParameter     bool     `json:"claims_parameter_supported"`
	RequestParameter    bool     `json:"request_parameter_supported"`
	RequestURIParameter bool     `json:"request_uri_parameter_supported"` // absent means true
	BackchannelLogout   bool     `json:"backchannel_logout_supported"`
	BackchannelSession  bool     `json:"backchannel_logout_session_supported"` // logout tokens have sid
}

// SignOutPath is the path of the sign-out endpoint for applications (end_session_endpoint).
const SignOutPath = "/oauth2/logout"

// NewOpenIDMetadata describes the service at issuer as an OpenID Provider.
func NewOpenIDMetadata(issuer string) OpenIDMetadata {
	m := NewMetadata(issuer)
	m.ResponseModes = slices.Clone(responseModes)
	return OpenIDMetadata{
		Metadata:         m,
		UserInfoEndpoint: issuer + "/userinfo", EndSessionEndpoint: issuer + SignOutPath,
		Scopes: []string{OpenIDScope, ProfileScope, PhoneScope, EmailScope},
		Claims: []string{
			"iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "at_hash", "amr", "sid", "tenant_id", "mode",
			"phone_number", "phone_number_verified", "name",
			"email", "email_verified", "preferred_username",
		},
		SubjectTypes:      []string{"pairwise"},
		IDTokenAlgorithms: []string{"RS256"},
		Prompts:           slices.Clone(prompts),
		BackchannelLogout: true, BackchannelSession: true,
	}
}

// NewMetadata describes the service at issuer, its public address without a trailing
// slash. The token endpoint is the one that responds with 200, because many client
// libraries refuse the 201 of /token.
func NewMetadata(issuer string) Metadata {
	return Metadata{
		Issuer:                issuer,
		AuthorizationEndpoint: issuer + "/authorize",
		TokenEndpoint:         issuer + "/oauth2/token",
		JWKSURI:               issuer + "/.well-known/jwks.json",
		ResponseTypes:         []string{"code"},
		ResponseModes:         []string{"query"},
		GrantTypes:            []string{"authorization_code"},
		ChallengeMethods:      []string{MethodS256},
		TokenAuthMethods:      []string{"none", "client_secret_post", "client_secret_basic"},
		RevocationEndpoint:    issuer + "/oauth2/revoke",
		RevocationMethods:     []string{"none", "client_secret_post", "client_secret_basic"},
		IntrospectionEndpoint: issuer + "/oauth2/introspect",
		IntrospectionMethods:  []string{"client_secret_post", "client_secret_basic"},
		IssInResponse:         true,
		UILocales:             []string{"en", "fr"},
		Policy:                issuer + "/privacy",
		Terms:                 issuer + "/terms",
	}
}
