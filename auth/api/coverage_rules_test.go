package api_test

// ruleSections are the rules for all endpoints: authentication, errors, limits.
func ruleSections() []section {
	return []section{
		{"What the service does", []row{
			held("a login from /authorize to the token, through each door", "api.TestLogin", "griot.TestBrowser_SignsInThroughTheWaitingPageAndAVirtualPhone"),
			held("the waiting page polls, and gets the hand-back", "web.TestWaiting_InABrowser"),
			held("words are a live login's alone", "login.TestStart_WordsAreUniqueAmongLiveSessions", "api.TestMany_NoCrossTalk"),
			held("the deeplink's own text is understood", "api.TestActivate_Deeplink", "api.TestInbound_MessyText"),
			held("the service sends no messages, and takes only those of logins", "api.TestInbound_LeavesOthersMessagesAlone"),
		}},
		{"Authentication", []row{
			held("svc_sid is HttpOnly, SameSite=Lax, and Secure over https", "api.TestAuthorize_Accepts", "api.TestSecureCookieAndAddresses"),
			held("activate, status and sandbox need it", "api.TestSession_Refuses"),
			held("browser mutations need the own Origin", "api.TestSession_Refuses", "api.TestOwnOrigin", "httpx.TestOrigins"),
			held("answers are not cached", "api.TestAuthorize_Accepts", "api.TestLogin", "api.TestStatus_FromMemoryIsAsFromTheRow"),
			held("a poll needs the session that called /authorize", "api.TestSession_Refuses", "api.TestTwoTabs", "login.TestWaiting_EqualsTheRow"),
			held("X-Gateway-Signature", "api.TestVerify_Refuses"),
			held("confidential clients by id and secret, public ones by id and PKCE", "api.TestToken_Refuses", "api.TestToken_Basic", "api.TestToken_CodeThatDoesNotFit"),
			held("an inactive client is refused", "api.TestAuthorize_InactiveClient"),
			held("/authorize, /token, /healthz and the well-known ones need nothing", "api.TestPublic_Documents", "api.TestHealth", "api.TestAuthorize_Accepts"),
		}},
		{"Errors", []row{
			held("every refusal has the Error body and a listed code", "openapi.TestErrorCodes_AreNamedWhereTheyOccur", "openapi.TestErrorCodes_AreTheCatalogue"),
			held("400", "api.TestAuthorize_Refuses"), held("401", "api.TestToken_Refuses"), held("403", "api.TestSession_Refuses"),
			held("429 with Retry-After", "api.TestLimits", "api.TestLimits_Messages"), held("503 with Retry-After", "api.TestHealth"),
			held("303, 201 and 200 as listed", "api.TestAuthorize_Accepts", "api.TestLogin", "api.TestPublic_Documents"),
			held("nothing that was submitted is logged", "api.TestNothingSubmittedIsLogged"),
		}},
		{"Limits", []row{
			held("login: 90 seconds", "api.TestTime"),
			held("a poll every two seconds is within the rate", "api.TestLimits"),
			held("state: 16 to 256", "api.TestAuthorize_Refuses", "api.TestAuthorize_Accepts"),
			held("code_challenge: 43", "api.TestAuthorize_Refuses", "oauth.TestValid"),
			held("code_verifier: 43 to 128", "api.TestToken_Refuses", "api.TestToken_Bounds"),
			held("token: 900 seconds", "api.TestLogin"),
			held("redirect addresses of a client: 1 to 20", "tenant.TestCreateClient", "tenant.TestCreateClient_Refuses"),
			held("invitation key: 32 characters or more", "tenant.TestInvitation"),
			held("displayName: 100", "api.TestVerify_Refuses", "api.TestVerify_Bounds"),
			held("messageId: 256", "api.TestVerify_Refuses", "api.TestVerify_Bounds"),
			held("skew: 60 seconds", "api.TestVerify_Refuses", "api.TestVerify_Bounds"),
		}},
		{"Versioning", []row{
			held("OpenAPI 3.1.0, version 0.1.0", "openapi.TestDocuments_AreValid"),
			held("paths carry no version", "api.TestRoutes_AgreeWithTheDocumentBothWays"),
		}},
	}
}
