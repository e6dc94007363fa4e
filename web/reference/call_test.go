package reference_test

import (
	"slices"
	"testing"

	"example.com/griot/openapi"
	"example.com/griot/web/reference"
)

func operation(t *testing.T, text []byte, id string) *reference.Operation {
	t.Helper()
	op, ok := parse(t, text).Operation(id)
	if !ok {
		t.Fatalf("no operation %s", id)
	}
	return op
}

func TestCurl_ShowsEachWayToAuthenticate(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text     []byte
		id, want string
	}{
		{openapi.Messaging(), "getMessageStatus", "curl 'https://a.example/api/status/msg_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D' \\\n  -H \"Authorization: Bearer $GRIOT_API_KEY\""},
		{openapi.Messaging(), "listProjects", "curl 'https://a.example/api/projects' \\\n  -b \"svc_account=$COOKIE\""},
		{openapi.Auth(), "getHealth", "curl 'https://a.example/healthz'"},
		{openapi.Auth(), "getLoginStatus", "curl 'https://a.example/authorize/status?loginKeyId=01J9ZK3V8Q5W6X7Y8Z9A0B1C2D' \\\n  -b \"svc_sid=$COOKIE\""},
		{openapi.Auth(), "exchangeCodeOAuth", "curl 'https://a.example/oauth2/token' \\\n  -u \"$CLIENT_ID:$CLIENT_SECRET\" \\\n  --data-urlencode 'grant_type=authorization_code' \\\n  --data-urlencode 'code=7QX2M9F4T1ZB8RC6VN3K5WDJ0H' \\\n  --data-urlencode 'redirect_uri=https://shop.example/callback'"},
		{openapi.Auth(), "preflightExchangeCode", "curl -X OPTIONS 'https://a.example/token'"},
	} {
		if got := operation(t, tt.text, tt.id).Curl("https://a.example"); got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.id, got, tt.want)
		}
	}
}

func TestTry_IsForKeysAndClientsAndWhatIsOpen(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"sendMessage": "key", "getMessageStatus": "key", "cancelMessage": "key", "getHealth": "nothing",
		"listenToWebhookEvents": "", "callAssistant": "live", "getWebhook": "live", "listConversations": "live", "getProfile": "", "askForCode": "", "signIn": "", "getErrorsPage": "", "getDocument": "",
	} {
		if got := operation(t, openapi.Messaging(), id).Try(); got != want {
			t.Errorf("%s: got %q, want %q", id, got, want)
		}
	}
	for id, want := range map[string]string{
		"introspectToken": "client", "revokeToken": "client", "exchangeCode": "client", "getKeys": "nothing",
		"authorize": "", "openDashboard": "", "verifyMessage": "", "getUserInfo": "", "postUserInfo": "", "preflightRevokeToken": "",
	} {
		if got := operation(t, openapi.Auth(), id).Try(); got != want {
			t.Errorf("%s: got %q, want %q", id, got, want)
		}
	}
	// The form sends JSON.
	for _, text := range [][]byte{openapi.Auth(), openapi.Messaging()} {
		for _, g := range parse(t, text).Groups {
			for _, op := range g.Operations {
				if op.Try() != "" && len(op.Bodies) > 0 && !slices.ContainsFunc(op.Bodies, func(b *reference.Body) bool { return b.MediaType == "application/json" }) {
					t.Errorf("%s can be tried and takes no JSON", op.ID)
				}
			}
		}
	}
}

func TestMatches_EachWord(t *testing.T) {
	t.Parallel()
	op := operation(t, openapi.Messaging(), "sendMessage")
	for query, want := range map[string]bool{
		"": true, "  ": true, "send": true, "POST /api/send": true, "Sends quota": false, "SCHEDULEDAT": true, "quota_exceeded send": true, "idempotency-key": true,
		"send nothingness": false,
	} {
		if got := op.Matches(query); got != want {
			t.Errorf("%q: got %v, want %v", query, got, want)
		}
	}
}
