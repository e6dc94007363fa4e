package api_test

// fieldSections are the members of requests and answers. In every test of this
// package openapitest checks each exchange against the OpenAPI document; the tests
// named here check what the members mean.
func fieldSections() []section {
	const whole, refusesToken, refusesVerify, boundsVerify = "api.TestLogin", "api.TestToken_Refuses", "api.TestVerify_Refuses", "api.TestVerify_Bounds"
	return []section{
		{"Error", []rule{
			checkedBy("error is one of four OAuth codes", "openapi.TestErrorCodes_AreTheCatalogue", "api.TestSession_Refuses", refusesToken),
			checkedBy("error_code is precise, and listed", "openapi.TestErrorCodes_AreTheCatalogue", "fault.TestCatalogue_CodesAreUniqueWithinAServiceAndStatus"),
			checkedBy("error_description is for people", "api.TestAuthorize_Refuses"),
			checkedBy("docs_url leads to the code's explanation", "api.TestAuthorize_ErrorPage", "api.TestPublic_Pages"),
			checkedBy("request_id is an ID26, and the header's", "api.TestAuthorize_Refuses", "api.TestAuthorize_ErrorPage"),
		}},
		{"Profile", []rule{
			checkedBy("id is an ID26, stable for a tenant's phone in a mode", whole, "api.TestProfile_KeepsWhoAPersonIs", "api.TestMany_NoCrossTalk"),
			checkedBy("tenant_id", whole),
			checkedBy("phone_e164 has no plus", whole, boundsVerify),
			checkedBy("display_name may be null", whole, "api.TestSandbox_TenNumbers"),
			checkedBy("provider is whatsapp or sandbox", whole, "api.TestSandbox_TenNumbers"),
			checkedBy("mode is the client's", whole),
			checkedBy("first_seen_at stays", "api.TestProfile_KeepsWhoAPersonIs"),
			checkedBy("metadata is an object", whole),
		}},
		{"TokenRequest", []rule{
			checkedBy("grant_type is authorization_code, or absent", refusesToken, "api.TestToken_Bounds"),
			checkedBy("code is an ID26, and required", refusesToken, "api.FuzzTokenForm"),
			checkedBy("client_id is required", refusesToken),
			checkedBy("client_secret is absent for a public client", refusesToken),
			checkedBy("code_verifier has 43 to 128 characters", refusesToken, "api.TestToken_Bounds", "oauth.TestValid"),
			checkedBy("redirect_uri is a URI, and required", refusesToken),
		}},
		{"TokenResponse", []rule{
			checkedBy("token is a signed JWT", whole, "token.TestSign"),
			checkedBy("access_token is the same", whole, "api.TestToken_Bounds"),
			checkedBy("token_type is Bearer", whole, "api.TestToken_OAuth2Library"),
			checkedBy("expires_in is 900, and so is the token's life", whole),
			checkedBy("subject is the profile's id", whole),
			checkedBy("issued_at", whole),
			checkedBy("profile", whole, "api.TestToken_OAuth2Library"),
		}},
		{"Status", []rule{
			checkedBy("id is the login's", whole, "api.TestStatus_FromMemoryIsAsFromTheRow"),
			checkedBy("status is one of five", whole, "api.TestProperty_AnyOrderOfStepsIsTheTables"),
			checkedBy("mode is the client's", whole, "api.TestStatus_FromMemoryIsAsFromTheRow"),
			checkedBy("matchingWords are what is to be sent", whole, "login.TestWords_AreDrawnFromTheirList"),
			checkedBy("expiresAt is 90 seconds after the start", whole),
			checkedBy("serverTime is now", whole),
			checkedBy("tenantName", whole, "api.TestStatus_FromMemoryIsAsFromTheRow"),
			checkedBy("redirectUrl comes with VERIFIED and EXPIRED only, the same each time", whole, "api.TestProof_TwoPhones", "api.TestProperty_AnyOrderOfStepsIsTheTables"),
		}},
		{"Verify", []rule{
			checkedBy("loginKeyId is an ID26, and required", refusesVerify),
			checkedBy("phoneE164 is a digit 1-9 and 7 to 14 more, a plus before them or not", refusesVerify, boundsVerify, "phone.TestParse"),
			checkedBy("displayName is optional, of at most 100 characters", refusesVerify, boundsVerify),
			checkedBy("messageId is required, of at most 256 characters", refusesVerify, boundsVerify),
			checkedBy("timestamp is in milliseconds, within 60 seconds", refusesVerify, boundsVerify),
			checkedBy("receiverPhoneId binds the proof to its recipient", refusesVerify, "api.TestProperty_AnyOrderOfStepsIsTheTables"),
			checkedBy("matchingWords bind the proof to what was shown", refusesVerify, "login.TestKeys", "login.FuzzKeys"),
		}},
		{"JWKS key", []rule{
			checkedBy("kty RSA, alg RS256, use sig", "api.TestPublic_Documents"),
			checkedBy("n and e are the key's: tokens verify with them", whole, "token.TestSign"),
			checkedBy("kid is the one in tokens", whole),
		}},
	}
}
