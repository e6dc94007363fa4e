package api_test

// ruleSections are the rules for all endpoints: authentication, errors, limits.
func ruleSections() []section {
	return []section{
		{"What the service does", []rule{
			checkedBy("a login from /authorize to the token, by each kind of proof", "api.TestLogin", "griot.TestBrowser_SignsInThroughTheWaitingPageAndAVirtualPhone"),
			checkedBy("the waiting page polls, and gets the hand-back", "web.TestWaiting_InABrowser"),
			checkedBy("words are a live login's alone", "login.TestStart_WordsAreUniqueAmongLiveSessions", "api.TestMany_NoCrossTalk"),
			checkedBy("the deeplink's own text is understood", "api.TestActivate_Deeplink", "api.TestInbound_MessyText"),
			checkedBy("the service sends no messages, and takes only those of logins", "api.TestInbound_LeavesOthersMessagesAlone"),
		}},
		{"Authentication", []rule{
			checkedBy("svc_sid is HttpOnly, SameSite=Lax, and Secure over https", "api.TestAuthorize_Accepts", "api.TestSecureCookieAndAddresses"),
			checkedBy("activate, status and sandbox need it", "api.TestSession_Refuses"),
			checkedBy("browser mutations need the own Origin", "api.TestSession_Refuses", "api.TestOwnOrigin", "httpx.TestOrigins"),
			checkedBy("answers are not cached", "api.TestAuthorize_Accepts", "api.TestLogin", "api.TestStatus_FromMemoryIsAsFromTheRow"),
			checkedBy("a poll needs the session that called /authorize", "api.TestSession_Refuses", "api.TestTwoTabs", "login.TestWaiting_EqualsTheRow"),
			checkedBy("X-Gateway-Signature", "api.TestVerify_Refuses"),
			checkedBy("confidential clients by id and secret, public ones by id and PKCE", "api.TestToken_Refuses", "api.TestToken_Basic", "api.TestToken_CodeThatDoesNotFit"),
			checkedBy("an inactive client is refused", "api.TestAuthorize_InactiveClient"),
			checkedBy("/authorize, /token, /healthz and the well-known ones need nothing", "api.TestPublic_Documents", "api.TestHealth", "api.TestAuthorize_Accepts"),
		}},
		{"Errors", []rule{
			checkedBy("every refusal has the Error body and a listed code", "openapi.TestErrorCodes_AreNamedWhereTheyOccur", "openapi.TestErrorCodes_AreTheCatalogue"),
			checkedBy("400", "api.TestAuthorize_Refuses"), checkedBy("401", "api.TestToken_Refuses"), checkedBy("403", "api.TestSession_Refuses"),
			checkedBy("429 with Retry-After", "api.TestLimits", "api.TestLimits_Messages"), checkedBy("503 with Retry-After", "api.TestHealth"),
			checkedBy("303, 201 and 200 as listed", "api.TestAuthorize_Accepts", "api.TestLogin", "api.TestPublic_Documents"),
			checkedBy("nothing that was submitted is logged", "api.TestNothingSubmittedIsLogged"),
		}},
		{"Limits", []rule{
			checkedBy("login: 90 seconds", "api.TestTime"),
			checkedBy("a poll every two seconds is within the rate", "api.TestLimits"),
			checkedBy("state: 16 to 256", "api.TestAuthorize_Refuses", "api.TestAuthorize_Accepts"),
			checkedBy("code_challenge: 43", "api.TestAuthorize_Refuses", "oauth.TestValid"),
			checkedBy("code_verifier: 43 to 128", "api.TestToken_Refuses", "api.TestToken_Bounds"),
			checkedBy("token: 900 seconds", "api.TestLogin"),
			checkedBy("redirect addresses of a client: 1 to 20", "tenant.TestCreateClient", "tenant.TestCreateClient_Refuses"),
			checkedBy("invitation key: 32 characters or more", "tenant.TestInvitation"),
			checkedBy("displayName: 100", "api.TestVerify_Refuses", "api.TestVerify_Bounds"),
			checkedBy("messageId: 256", "api.TestVerify_Refuses", "api.TestVerify_Bounds"),
			checkedBy("skew: 60 seconds", "api.TestVerify_Refuses", "api.TestVerify_Bounds"),
		}},
		{"Versioning", []rule{
			checkedBy("OpenAPI 3.1.0, version 0.1.0", "openapi.TestDocuments_AreValid"),
			checkedBy("paths carry no version", "api.TestRoutes_AgreeWithTheDocumentBothWays"),
		}},
	}
}
