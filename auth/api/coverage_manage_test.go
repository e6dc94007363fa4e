package api_test

// manageSections are the document's lines about tenants and their dashboard.
func manageSections() []section {
	return []section{
		{"Tenant", []rule{
			checkedBy("id", "api.TestOverview"), checkedBy("name", "api.TestOverview"),
		}},
		{"Client", []rule{
			checkedBy("id, tenantId, clientId", "api.TestCreateClient", "api.TestOverview"),
			checkedBy("type: PUBLIC, CONFIDENTIAL", "api.TestCreateClient", "api.TestCreateClient_Refuses"),
			checkedBy("mode: TEST, LIVE", "api.TestCreateClient", "api.TestCreateClient_Refuses"),
			checkedBy("redirectUris: the exact list", "api.TestCreateClient", "api.TestChangeClient"),
			checkedBy("active", "api.TestChangeClient"),
		}},
		{"ClientInput", []rule{
			checkedBy("type is required", "api.TestCreateClient_Refuses"), checkedBy("mode is required", "api.TestCreateClient_Refuses"),
			checkedBy("redirectUris: 1 to 20", "api.TestCreateClient", "api.TestCreateClient_Refuses"),
		}},
		{"Client activity", []rule{
			checkedBy("PATCH sets active and replaces redirectUris", "api.TestChangeClient"),
			checkedBy("rotate replaces the secret at once and shows it once", "api.TestRotate"),
			checkedBy("a dashboard session begins with login and ends with logout", "api.TestManageLogin", "api.TestManageLogout"),
		}},
		{"Endpoints of /manage", []rule{
			checkedBy("POST /manage/login", "api.TestManageLogin", "api.TestManageLogin_Refuses"),
			checkedBy("POST /manage/logout", "api.TestManageLogout", "api.TestManage_NeedsASession"),
			checkedBy("GET /manage/overview", "api.TestOverview", "api.TestManage_NeedsASession"),
			checkedBy("POST /manage/clients", "api.TestCreateClient", "api.TestCreateClient_Refuses"),
			checkedBy("PATCH /manage/clients/{id}", "api.TestChangeClient", "api.TestChangeClient_Refuses"),
			checkedBy("POST /manage/clients/{id}/rotate", "api.TestRotate"),
			checkedBy("503 without storage", "api.TestManage_WithoutStorage"),
		}},
		{"Rules of /manage", []rule{
			checkedBy("only the caller's own clients and events", "api.TestManage_TenantsAreApart"),
			checkedBy("the 50 most recent events, redacted", "api.TestOverview_HasTheFiftyLatestEvents", "api.TestOverview"),
			checkedBy("clientSecret once; null for a PUBLIC client", "api.TestCreateClient"),
			checkedBy("foreign and absent clients answer alike", "api.TestManage_TenantsAreApart", "api.TestChangeClient_Refuses"),
			checkedBy("mutations need the own Origin", "api.TestManage_OnlyFromItsOwnPages"),
			checkedBy("every change has its event", "api.TestManage_NothingWithoutItsEvent"),
			checkedBy("an invitation key for one use opens one session", "api.TestManageLogin_SingleUse"),
		}},
		{"Limits of /manage", []rule{
			checkedBy("invitation key: 32 characters or more", "api.TestManageLogin_Refuses"),
			checkedBy("session: one hour", "api.TestManage_SessionLastsAnHour"),
			checkedBy("svc_dashboard is HttpOnly, SameSite=Lax, and Secure over https", "api.TestManageLogin", "api.TestManageLogin_SecureCookie"),
			checkedBy("too many logins: 429", "api.TestManageLogin_Limits"),
		}},
		{"Keys and tokens", []rule{
			checkedBy("JWKS lists the active and the previous keys", "api.TestKeys_AsApplicationsSeeThem"),
			checkedBy("a key is published before it signs", "api.TestKeys_AsApplicationsSeeThem", "token.TestRotate"),
			checkedBy("an emergency withdraws all others at once", "api.TestEmergency_OnAnotherNode"),
			checkedBy("revocation (RFC 7009)", "api.TestRevoke", "api.TestRevokeAndIntrospect_Refuse"),
			checkedBy("introspection (RFC 7662)", "api.TestIntrospect", "api.TestRevokeAndIntrospect_Refuse"),
		}},
		{"Pages", []rule{
			checkedBy("/terms and /privacy", "api.TestLegalPages"),
			checkedBy("the Status is pushed too", "api.TestEvents_PushEveryStep", "api.TestEvents_AreTheBrowsersOwn"),
			checkedBy("a page without JavaScript", "api.TestPlain_ATestLogin", "api.TestPlain_ALiveLogin", "api.TestPlain_HoldsTheRulesOfTheOthers"),
			checkedBy("cancel by message", "api.TestCancel_UndoesWhatAPhoneHasProved", "api.TestCancel_TakesThatWordOnly"),
		}},
	}
}
