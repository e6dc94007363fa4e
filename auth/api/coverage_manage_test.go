package api_test

// manageSections are the document's lines about tenants and their dashboard.
func manageSections() []section {
	return []section{
		{"Tenant", []row{
			held("id", "api.TestOverview"), held("name", "api.TestOverview"),
		}},
		{"Client", []row{
			held("id, tenantId, clientId", "api.TestCreateClient", "api.TestOverview"),
			held("type: PUBLIC, CONFIDENTIAL", "api.TestCreateClient", "api.TestCreateClient_Refuses"),
			held("mode: TEST, LIVE", "api.TestCreateClient", "api.TestCreateClient_Refuses"),
			held("redirectUris: the exact list", "api.TestCreateClient", "api.TestChangeClient"),
			held("active", "api.TestChangeClient"),
		}},
		{"ClientInput", []row{
			held("type is required", "api.TestCreateClient_Refuses"), held("mode is required", "api.TestCreateClient_Refuses"),
			held("redirectUris: 1 to 20", "api.TestCreateClient", "api.TestCreateClient_Refuses"),
		}},
		{"Client activity", []row{
			held("PATCH sets active and replaces redirectUris", "api.TestChangeClient"),
			held("rotate replaces the secret at once and shows it once", "api.TestRotate"),
			held("a dashboard session begins with login and ends with logout", "api.TestManageLogin", "api.TestManageLogout"),
		}},
		{"Endpoints of /manage", []row{
			held("POST /manage/login", "api.TestManageLogin", "api.TestManageLogin_Refuses"),
			held("POST /manage/logout", "api.TestManageLogout", "api.TestManage_NeedsASession"),
			held("GET /manage/overview", "api.TestOverview", "api.TestManage_NeedsASession"),
			held("POST /manage/clients", "api.TestCreateClient", "api.TestCreateClient_Refuses"),
			held("PATCH /manage/clients/{id}", "api.TestChangeClient", "api.TestChangeClient_Refuses"),
			held("POST /manage/clients/{id}/rotate", "api.TestRotate"),
			held("503 without storage", "api.TestManage_WithoutStorage"),
		}},
		{"Rules of /manage", []row{
			held("only the caller's own clients and events", "api.TestManage_TenantsAreApart"),
			held("the 50 most recent events, redacted", "api.TestOverview_HasTheFiftyLatestEvents", "api.TestOverview"),
			held("clientSecret once; null for a PUBLIC client", "api.TestCreateClient"),
			held("foreign and absent clients answer alike", "api.TestManage_TenantsAreApart", "api.TestChangeClient_Refuses"),
			held("mutations need the own Origin", "api.TestManage_OnlyFromItsOwnPages"),
			held("every change has its event", "api.TestManage_NothingWithoutItsEvent"),
			held("an invitation key for one use opens one session", "api.TestManageLogin_SingleUse"),
		}},
		{"Limits of /manage", []row{
			held("invitation key: 32 characters or more", "api.TestManageLogin_Refuses"),
			held("session: one hour", "api.TestManage_SessionLastsAnHour"),
			held("svc_dashboard is HttpOnly, SameSite=Lax, and Secure over https", "api.TestManageLogin", "api.TestManageLogin_SecureCookie"),
			held("too many logins: 429", "api.TestManageLogin_Limits"),
		}},
		{"Keys and tokens", []row{
			held("JWKS lists the active and the previous keys", "api.TestKeys_AsApplicationsSeeThem"),
			held("a key is published before it signs", "api.TestKeys_AsApplicationsSeeThem", "token.TestRotate"),
			held("an emergency withdraws all others at once", "api.TestEmergency_OnAnotherNode"),
			held("revocation (RFC 7009)", "api.TestRevoke", "api.TestRevokeAndIntrospect_Refuse"),
			held("introspection (RFC 7662)", "api.TestIntrospect", "api.TestRevokeAndIntrospect_Refuse"),
		}},
		{"Pages", []row{
			held("/terms and /privacy", "api.TestLegalPages"),
			held("the Status is pushed too", "api.TestEvents_PushEveryStep", "api.TestEvents_AreTheBrowsersOwn"),
			held("a page without JavaScript", "api.TestPlain_ATestLogin", "api.TestPlain_ALiveLogin", "api.TestPlain_HoldsTheRulesOfTheOthers"),
			held("cancel by message", "api.TestCancel_UndoesWhatAPhoneHasProved", "api.TestCancel_TakesThatWordOnly"),
		}},
	}
}
