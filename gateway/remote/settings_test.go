package remote

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/griot/gateway/gatewaytest"
)

const goodKey = `{"id":"k1","secret":"` + testSecret + `"}`

func TestParse(t *testing.T) {
	t.Parallel()
	s, _, err := parse([]byte(`{"url":"https://gw.test/base/","channels":["sms","whatsapp"],"keys":[` + goodKey + `]}`))
	if err != nil || s.URL != "https://gw.test/base" || s.Connections != 32 || s.ConnectTimeout != 10 || s.SendTimeout != 30 || s.InfoInterval != 30 || len(s.keys) != 1 {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestParse_Refuses(t *testing.T) {
	t.Parallel()
	for _, members := range []string{
		``, `"url":"https://gw.test","channels":["sms"]`, `"url":"https://gw.test","keys":[` + goodKey + `]`,
		`"channels":["sms"],"keys":[` + goodKey + `]`,
		`"url":"http://gw.test","channels":["sms"],"keys":[` + goodKey + `]`,
		`"url":"https://a:b@gw.test","channels":["sms"],"keys":[` + goodKey + `]`,
		`"url":"https://gw.test?a=b","channels":["sms"],"keys":[` + goodKey + `]`,
		`"url":"https://gw.test","channels":["pigeon"],"keys":[` + goodKey + `]`,
		`"url":"https://gw.test","channels":["sms","sms"],"keys":[` + goodKey + `]`,
		`"url":"https://gw.test","channels":["sms"],"keys":[` + goodKey + `,` + goodKey + `]`,
		`"url":"https://gw.test","channels":["sms"],"keys":[{"id":"k 1","secret":"` + testSecret + `"}]`,
		`"url":"https://gw.test","channels":["sms"],"keys":[{"id":"k1","secret":"short"}]`,
		`"url":"https://gw.test","channels":["sms"],"keys":[{"id":"k1"}]`,
		`"url":"https://gw.test","channels":["sms"],"keys":[{"secret":"` + testSecret + `"}]`,
		`"url":"https://gw.test","channels":["sms"],"keys":[` + goodKey + `],"secret":"x"`,
		`"url":"https://gw.test","channels":["sms"],"keys":[` + goodKey + `],"connections":-1`,
		`"url":"https://gw.test","channels":["sms"],"keys":[` + goodKey + `],"info_interval":3601`,
		`"url":"https://gw.test","channels":["sms"],"keys":[` + goodKey + `],"send_timeout":601`,
		`"url":"https://gw.test","channels":["sms"],"keys":[` + goodKey + `],"connect_timeout":-1`,
		`"url":"https://gw.test","channels":["sms"],"keys":[` + goodKey + `],"portfolio":"waba:1"`,
		`"url":"https://gw.test","channels":["sms"],"keys":[` + goodKey + `],"portfolio":"` + strings.Repeat("a", 65) + `"`,
		`"url":"https://gw.test","channels":["sms"],"keys":[` + goodKey + `],"ca_file":"missing.pem"`,
	} {
		_, err := Open([]byte("{"+members+"}"), gatewaytest.NewEnvironment().Deps())
		if err == nil {
			t.Errorf("%s is accepted", members)
		} else if strings.Contains(err.Error(), testSecret) || strings.Contains(err.Error(), "short") {
			t.Errorf("the error repeats a secret: %v", err)
		}
	}
}

func TestParse_SecretFromAFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte(testSecret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, f, _ := opened(t, map[string]any{"keys": []any{map[string]any{"id": "k1", "secret_file": file}}})
	if _, err := s.Send(t.Context(), message()); err != nil || len(f.received()) != 1 {
		t.Errorf("got %v, %d messages; want no error, 1 message", err, len(f.received()))
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"url":"https://gw.test","channels":["sms"],"keys":[` + goodKey + `]}`))
	f.Add([]byte(`{"url":"http://127.0.0.1:1","channels":["email"],"keys":[` + goodKey + `],"send_timeout":1}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if strings.Contains(string(raw), "file") {
			return // don't read files of the machine
		}
		s, _, err := parse(json.RawMessage(raw))
		if err == nil && (len(s.keys) == 0 || len(s.Channels) == 0 || !strings.HasPrefix(s.URL, "http") || s.SendTimeout < 1 || len(s.keys[0].Secret) < minSecret) {
			t.Errorf("%q gives %+v", raw, s)
		}
	})
}
