package api_test

// endpointSections are the endpoints and their rules. The dashboard's
// endpoints (/manage) have rows of their own where they are built.
func endpointSections() []section {
	const authorizeRefuses, authorizeAccepts = "api.TestAuthorize_Refuses", "api.TestAuthorize_Accepts"
	return []section{
		{"Endpoints", []rule{
			checkedBy("the routes are the document's, both ways", "api.TestRoutes_AgreeWithTheDocumentBothWays"),
			checkedBy("GET /authorize: 303 to /waiting.html with a cookie, {ok}", authorizeAccepts),
			checkedBy("POST /authorize/activate: 201 with a deeplink or null", "api.TestActivate_Deeplink", "api.TestActivate_WithoutDeeplink"),
			checkedBy("GET /authorize/status: 200 Status", "api.TestLogin"),
			checkedBy("POST /authorize/sandbox: 201", "api.TestLogin", "api.TestSandbox_TenNumbers"),
			checkedBy("POST /token: 201, JSON or form", "api.TestToken_Bounds", "api.TestToken_Refuses"),
			checkedBy("POST /internal/verify: 201", "api.TestLogin", "api.TestVerify_Bounds"),
			checkedBy("GET /.well-known/jwks.json: 200 {keys}", "api.TestPublic_Documents"),
			checkedBy("GET /.well-known/oauth-authorization-server: 200", "api.TestPublic_Documents", "api.TestToken_OAuth2Library"),
			checkedBy("GET /healthz: ok or unavailable, svc-auth", "api.TestHealth"),
			checkedBy("other paths and methods answer with an Error body", "api.TestPublic_UnknownPathsAndMethods"),
		}},
		{"GET /authorize: parameters", []rule{
			checkedBy("client_id is required and known", authorizeRefuses),
			checkedBy("redirect_uri is required, a URI", authorizeRefuses),
			checkedBy("state has 16 to 256 characters, and is required", authorizeRefuses, authorizeAccepts),
			checkedBy("response_type is code, or absent", authorizeRefuses, authorizeAccepts),
			checkedBy("code_challenge is 43 of A-Z, a-z, 0-9, _, -", authorizeRefuses, "oauth.TestValid"),
			checkedBy("code_challenge_method is S256", authorizeRefuses, "oauth.TestS256"),
		}},
		{"GET /authorize: rules", []rule{
			checkedBy("PKCE is mandatory for PUBLIC clients", authorizeRefuses, authorizeAccepts),
			checkedBy("the redirect address matches exactly", authorizeRefuses, "oauth.TestMatchRedirect", "oauth.FuzzMatchRedirect"),
			checkedBy("another local port in TEST mode only", authorizeRefuses, authorizeAccepts, "oauth.TestMatchRedirect", "oauth.FuzzMatchRedirect"),
			checkedBy("the answer sets the session cookie, a refusal doesn't", authorizeAccepts, authorizeRefuses),
			checkedBy("a refusal never redirects", authorizeRefuses, "api.TestAuthorize_ErrorPage"),
		}},
		{"POST /authorize/sandbox", []rule{
			checkedBy("for TEST clients only", "api.TestSession_Refuses", "api.TestProperty_AnyOrderOfStepsIsTheTables"),
			checkedBy("ten numbers and no others", "phone.TestSandbox_IsExactlyTenNumbers", "api.TestSandbox_TenNumbers", "api.TestSession_Refuses"),
		}},
		{"POST /token: rules", []rule{
			checkedBy("a code is exchanged once, by fifty at the same time too", "api.TestToken_Once"),
			checkedBy("client, redirect address and PKCE are checked; the fifth misfit burns the code", "api.TestToken_CodeThatDoesNotFit", "api.TestProperty_AnyOrderOfStepsIsTheTables"),
			checkedBy("client_secret is a confidential client's, in the body or as Basic", "api.TestToken_Refuses", "api.TestToken_Basic"),
			checkedBy("code_verifier if and only if there was a challenge", "api.TestToken_CodeThatDoesNotFit"),
		}},
		{"POST /internal/verify: rules", []rule{
			checkedBy("on the loopback interface only, behind no proxy", "api.TestVerify_Refuses", "api.TestVerify_OnPublic", "httpx.TestDirectLoopback"),
			checkedBy("the signature is the hex HMAC-SHA256 of the raw bytes, checked first", "api.TestVerify_Refuses", "api.FuzzVerify"),
			checkedBy("the timestamp is at most 60 seconds off", "api.TestVerify_Refuses", "api.TestVerify_Bounds"),
		}},
	}
}
