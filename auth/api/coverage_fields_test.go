package api_test

// fieldSections are the members of requests and answers. In every test of this
// package openapitest checks each exchange against the OpenAPI document; the tests
// named here check what the members mean.
func fieldSections() []section {
	const whole, refusesToken, refusesVerify, boundsVerify = "api.TestLogin", "api.TestToken_Refuses", "api.TestVerify_Refuses", "api.TestVerify_Bounds"
	return []section{
		{"Error", []row{
			held("error is one of four OAuth codes", "openapi.TestErrorCodes_AreTheCatalogue", "api.TestSession_Refuses", refusesToken),
			held("error_code is precise, and listed", "openapi.TestErrorCodes_AreTheCatalogue", "fault.TestCatalogue_CodesAreUniqueWithinAServiceAndStatus"),
			held("error_description is for people", "api.TestAuthorize_Refuses"),
			held("docs_url leads to the code's explanation", "api.TestAuthorize_ErrorPage", "api.TestPublic_Pages"),
			held("request_id is an ID26, and the header's", "api.TestAuthorize_Refuses", "api.TestAuthorize_ErrorPage"),
		}},
		{"Profile", []row{
			held("id is an ID26, stable for a tenant's phone in a mode", whole, "api.TestProfile_KeepsWhoAPersonIs", "api.TestMany_NoCrossTalk"),
			held("tenant_id", whole),
			held("phone_e164 has no plus", whole, boundsVerify),
			held("display_name may be null", whole, "api.TestSandbox_TenNumbers"),
			held("provider is whatsapp or sandbox", whole, "api.TestSandbox_TenNumbers"),
			held("mode is the client's", whole),
			held("first_seen_at stays", "api.TestProfile_KeepsWhoAPersonIs"),
			held("metadata is an object", whole),
		}},
		{"TokenRequest", []row{
			held("grant_type is authorization_code, or absent", refusesToken, "api.TestToken_Bounds"),
			held("code is an ID26, and required", refusesToken, "api.FuzzTokenForm"),
			held("client_id is required", refusesToken),
			held("client_secret is absent for a public client", refusesToken),
			held("code_verifier has 43 to 128 characters", refusesToken, "api.TestToken_Bounds", "oauth.TestValid"),
			held("redirect_uri is a URI, and required", refusesToken),
		}},
		{"TokenResponse", []row{
			held("token is a signed JWT", whole, "token.TestSign"),
			held("access_token is the same", whole, "api.TestToken_Bounds"),
			held("token_type is Bearer", whole, "api.TestToken_OAuth2Library"),
			held("expires_in is 900, and so is the token's life", whole),
			held("subject is the profile's id", whole),
			held("issued_at", whole),
			held("profile", whole, "api.TestToken_OAuth2Library"),
		}},
		{"Status", []row{
			held("id is the login's", whole, "api.TestStatus_FromMemoryIsAsFromTheRow"),
			held("status is one of five", whole, "api.TestProperty_AnyOrderOfStepsIsTheTables"),
			held("mode is the client's", whole, "api.TestStatus_FromMemoryIsAsFromTheRow"),
			held("matchingWords are what is to be sent", whole, "login.TestWords_AreDrawnFromTheirList"),
			held("expiresAt is 90 seconds after the start", whole),
			held("serverTime is now", whole),
			held("tenantName", whole, "api.TestStatus_FromMemoryIsAsFromTheRow"),
			held("redirectUrl comes with VERIFIED and EXPIRED only, the same each time", whole, "api.TestProof_TwoPhones", "api.TestProperty_AnyOrderOfStepsIsTheTables"),
		}},
		{"Verify", []row{
			held("loginKeyId is an ID26, and required", refusesVerify),
			held("phoneE164 is a digit 1-9 and 7 to 14 more, a plus before them or not", refusesVerify, boundsVerify, "phone.TestParse"),
			held("displayName is optional, of at most 100 characters", refusesVerify, boundsVerify),
			held("messageId is required, of at most 256 characters", refusesVerify, boundsVerify),
			held("timestamp is in milliseconds, within 60 seconds", refusesVerify, boundsVerify),
			held("receiverPhoneId binds the proof to its recipient", refusesVerify, "api.TestProperty_AnyOrderOfStepsIsTheTables"),
			held("matchingWords bind the proof to what was shown", refusesVerify, "login.TestKeys", "login.FuzzKeys"),
		}},
		{"JWKS key", []row{
			held("kty RSA, alg RS256, use sig", "api.TestPublic_Documents"),
			held("n and e are the key's: tokens verify with them", whole, "token.TestSign"),
			held("kid is the one in tokens", whole),
		}},
	}
}
