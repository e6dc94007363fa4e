package api_test

// endpointSections are the endpoints and their rules. The dashboard's
// endpoints (/manage) have rows of their own where they are built.
func endpointSections() []section {
	const authorizeRefuses, authorizeAccepts = "api.TestAuthorize_Refuses", "api.TestAuthorize_Accepts"
	return []section{
		{"Endpoints", []row{
			held("the routes are the document's, both ways", "api.TestRoutes_AgreeWithTheDocumentBothWays"),
			held("GET /authorize: 303 to /waiting.html with a cookie, {ok}", authorizeAccepts),
			held("POST /authorize/activate: 201 with a deeplink or null", "api.TestActivate_Deeplink", "api.TestActivate_WithoutDeeplink"),
			held("GET /authorize/status: 200 Status", "api.TestLogin"),
			held("POST /authorize/sandbox: 201", "api.TestLogin", "api.TestSandbox_TenNumbers"),
			held("POST /token: 201, JSON or form", "api.TestToken_Bounds", "api.TestToken_Refuses"),
			held("POST /internal/verify: 201", "api.TestLogin", "api.TestVerify_Bounds"),
			held("GET /.well-known/jwks.json: 200 {keys}", "api.TestPublic_Documents"),
			held("GET /.well-known/oauth-authorization-server: 200", "api.TestPublic_Documents", "api.TestToken_OAuth2Library"),
			held("GET /healthz: ok or unavailable, svc-auth", "api.TestHealth"),
			held("other paths and methods answer with an Error body", "api.TestPublic_UnknownPathsAndMethods"),
		}},
		{"GET /authorize: parameters", []row{
			held("client_id is required and known", authorizeRefuses),
			held("redirect_uri is required, a URI", authorizeRefuses),
			held("state has 16 to 256 characters, and is required", authorizeRefuses, authorizeAccepts),
			held("response_type is code, or absent", authorizeRefuses, authorizeAccepts),
			held("code_challenge is 43 of A-Z, a-z, 0-9, _, -", authorizeRefuses, "oauth.TestValid"),
			held("code_challenge_method is S256", authorizeRefuses, "oauth.TestS256"),
		}},
		{"GET /authorize: rules", []row{
			held("PKCE is mandatory for PUBLIC clients", authorizeRefuses, authorizeAccepts),
			held("the redirect address matches exactly", authorizeRefuses, "oauth.TestMatchRedirect", "oauth.FuzzMatchRedirect"),
			held("another local port in TEST mode only", authorizeRefuses, authorizeAccepts, "oauth.TestMatchRedirect", "oauth.FuzzMatchRedirect"),
			held("the answer sets the session cookie, a refusal doesn't", authorizeAccepts, authorizeRefuses),
			held("a refusal never redirects", authorizeRefuses, "api.TestAuthorize_ErrorPage"),
		}},
		{"POST /authorize/sandbox", []row{
			held("for TEST clients only", "api.TestSession_Refuses", "api.TestProperty_AnyOrderOfStepsIsTheTables"),
			held("ten numbers and no others", "phone.TestSandbox_IsExactlyTenNumbers", "api.TestSandbox_TenNumbers", "api.TestSession_Refuses"),
		}},
		{"POST /token: rules", []row{
			held("a code is exchanged once, by fifty at the same time too", "api.TestToken_Once"),
			held("client, redirect address and PKCE are checked; the fifth misfit burns the code", "api.TestToken_CodeThatDoesNotFit", "api.TestProperty_AnyOrderOfStepsIsTheTables"),
			held("client_secret is a confidential client's, in the body or as Basic", "api.TestToken_Refuses", "api.TestToken_Basic"),
			held("code_verifier if and only if there was a challenge", "api.TestToken_CodeThatDoesNotFit"),
		}},
		{"POST /internal/verify: rules", []row{
			held("on the loopback interface only, behind no proxy", "api.TestVerify_Refuses", "api.TestVerify_OnPublic", "httpx.TestDirectLoopback"),
			held("the signature is the hex HMAC-SHA256 of the raw bytes, checked first", "api.TestVerify_Refuses", "api.FuzzVerify"),
			held("the timestamp is at most 60 seconds off", "api.TestVerify_Refuses", "api.TestVerify_Bounds"),
		}},
	}
}
