package api_test

// stateSections are the statuses and the status table.
func stateSections() []section {
	const property = "api.TestProperty_AnyOrderOfStepsIsTheTables"
	return []section{
		{"Login session", []rule{
			checkedBy("the table has these steps and no others", "login.TestStatusTable", property),
			checkedBy("PENDING -activate-> ACTIVATED, once more changes nothing", "api.TestLogin", "api.TestActivate_Deeplink", property),
			checkedBy("PENDING or ACTIVATED -prove-> VERIFIED", "api.TestLogin", property),
			checkedBy("VERIFIED -redeem-> CONSUMED", "api.TestLogin", property),
			checkedBy("90 seconds to prove, then EXPIRED", "api.TestTime", property),
			checkedBy("handed back until 120 seconds after the proof, or the 90 are over", "api.TestTime", property),
			checkedBy("the code's 60 seconds begin with its first hand-back, and its end is the login's", "api.TestTime", "login.TestHandBack_TheFirstStartsTheCodesTime", property),
			checkedBy("EXPIRED and CONSUMED are final", property),
			checkedBy("the same phone or message again is a duplicate", "api.TestProof_Duplicates", property),
			checkedBy("a second phone ends a VERIFIED login, and changes nothing about a CONSUMED one", "api.TestProof_TwoPhones", "api.TestProof_Duplicates", "api.TestProof_Concurrent", property),
			checkedBy("a message proves one login", "api.TestProof_Duplicates", property),
			checkedBy("expiry is read, and polls see what was proved before them", "login.TestWaiting_EqualsTheRow", "login.TestWaiting_APollAfterTheProofSeesIt", "api.TestStatus_AnotherNodesProofShows"),
		}},
		{"Operations tied to a session", []rule{
			checkedBy("activate answers activated: true", "api.TestLogin", "api.TestActivate_WithoutDeeplink"),
			checkedBy("verify answers verified: true and duplicate", "api.TestLogin", "api.TestProof_Duplicates"),
			checkedBy("sandbox answers verified: true and duplicate", "api.TestLogin", property),
			checkedBy("token accepts a code exactly once", "api.TestToken_Once", property),
		}},
	}
}
