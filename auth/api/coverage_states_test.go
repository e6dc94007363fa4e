package api_test

// stateSections are the statuses and the status table.
func stateSections() []section {
	const property = "api.TestProperty_AnyOrderOfStepsIsTheTables"
	return []section{
		{"Login session", []row{
			held("the table has these steps and no others", "login.TestStatusTable", property),
			held("PENDING -activate-> ACTIVATED, once more changes nothing", "api.TestLogin", "api.TestActivate_Deeplink", property),
			held("PENDING or ACTIVATED -prove-> VERIFIED", "api.TestLogin", property),
			held("VERIFIED -redeem-> CONSUMED", "api.TestLogin", property),
			held("90 seconds to prove, then EXPIRED", "api.TestTime", property),
			held("handed back until 120 seconds after the proof, or the 90 are over", "api.TestTime", property),
			held("the code's 60 seconds begin with its first hand-back, and its end is the login's", "api.TestTime", "login.TestHandBack_TheFirstStartsTheCodesTime", property),
			held("EXPIRED and CONSUMED are final", property),
			held("the same phone or message again is a duplicate", "api.TestProof_Duplicates", property),
			held("a second phone ends a VERIFIED login, and changes nothing about a CONSUMED one", "api.TestProof_TwoPhones", "api.TestProof_Duplicates", "api.TestProof_Concurrent", property),
			held("a message proves one login", "api.TestProof_Duplicates", property),
			held("expiry is read, and polls see what was proved before them", "login.TestWaiting_EqualsTheRow", "login.TestWaiting_APollAfterTheProofSeesIt", "api.TestStatus_AnotherNodesProofShows"),
		}},
		{"Operations tied to a session", []row{
			held("activate answers activated: true", "api.TestLogin", "api.TestActivate_WithoutDeeplink"),
			held("verify answers verified: true and duplicate", "api.TestLogin", "api.TestProof_Duplicates"),
			held("sandbox answers verified: true and duplicate", "api.TestLogin", property),
			held("token accepts a code exactly once", "api.TestToken_Once", property),
		}},
	}
}
