package twilio

import (
	"encoding/json"
	"io"
	"strings"
	"testing"

	"example.com/griot/gateway/gatewaytest"
)

type readCloser struct{ io.Reader }

func (readCloser) Close() error { return nil }

func openRaw(t *testing.T, raw json.RawMessage) (*sender, *gatewaytest.Environment) {
	t.Helper()
	env := gatewaytest.NewEnvironment()
	return gatewaytest.Open[*sender](t, Open, env, raw), env
}

const who = `"account_sid":"` + account + `"`

func TestParse(t *testing.T) {
	t.Parallel()
	s, _, err := parse(json.RawMessage(`{` + who + `,"auth_token":"balafon"}`))
	if err != nil || s.BaseURL != "https://api.twilio.com" || s.Pool != 32 || !strings.HasPrefix(s.authorization(), "Basic QUMw") {
		t.Errorf("%+v %v", s, err)
	}
	s, _, err = parse(json.RawMessage(`{` + who + `,"api_key_sid":"SK0123456789abcdef0123456789abcdef","api_key_secret":"balafon"}`))
	if err != nil || !strings.HasPrefix(s.authorization(), "Basic U0sw") {
		t.Errorf("%+v %v", s, err)
	}
	const keyed = `{` + who + `,"api_key_sid":"SK0123456789abcdef0123456789abcdef","api_key_secret":"balafon","webhook_url":"https://api.test","shared_keys":`
	s, _, err = parse(json.RawMessage(keyed + `[{"id":"webhooks_sharedkey_1","secret":"kora"}]}`))
	if err != nil || len(s.SharedKeys) != 1 || s.SharedKeys[0].Secret != "kora" {
		t.Errorf("%+v %v", s, err)
	}
	for _, raw := range []string{
		keyed + `[]}`, keyed + `[{"id":"a"}]}`, keyed + `[{"secret":"balafon"}]}`, keyed + `[{"id":"a","secret":"balafon"},{"id":"a","secret":"kora"}]}`, keyed + `"balafon"}`,
		keyed + `[{"id":"a,b","secret":"balafon"}]}`, keyed + `[{"id":"a","secret":"bala fon"}]}`, keyed + `[{"id":"a","secret_file":"/nowhere"}]}`, keyed + `[{"id":"a","secret":"balafon","key":"x"}]}`,
		`{` + who + `,"auth_token":"balafon","shared_keys":[{"id":"a","secret":"balafon"}]}`,
		``, `{}`, `{` + who + `}`, `{"auth_token":"balafon"}`, `{"account_sid":"AC1","auth_token":"balafon"}`, `{"account_sid":"` + account + `/..","auth_token":"balafon"}`,
		`{` + who + `,"auth_token":"balafon","auth_token_file":"a"}`, `{` + who + `,"auth_token":"balafon","token":"a"}`, `{` + who + `,"auth_token_file":"/nowhere"}`,
		`{` + who + `,"api_key_sid":"SK0123456789abcdef0123456789abcdef"}`, `{` + who + `,"api_key_sid":"x","api_key_secret":"balafon"}`, `{` + who + `,"api_key_secret":"balafon"}`,
		`{` + who + `,"api_key_sid":"SK0123456789abcdef0123456789abcdef","api_key_secret":"balafon","webhook_url":"https://api.test"}`,
		`{` + who + `,"auth_token":"balafon","webhook_url":"http://api.test"}`, `{` + who + `,"auth_token":"balafon","webhook_url":"https://api.test?a=b"}`, `{` + who + `,"auth_token":"balafon","base_url":"http://api.test"}`,
		`{` + who + `,"auth_token":"balafon","messaging_service_sid":"x"}`, `{` + who + `,"auth_token":"balafon","pool":-1}`, `{` + who + `,"auth_token":"balafon","send_timeout":601}`,
		`{` + who + `,"auth_token":"balafon","connect_timeout":601}`, `{` + who + `,"auth_token":"balafon","ca_file":"/nowhere"}`,
	} {
		if _, err := Open(json.RawMessage(raw), gatewaytest.NewEnvironment().Deps()); err == nil || strings.Contains(err.Error(), "balafon") {
			t.Errorf("%s: %v", raw, err)
		}
	}
}
