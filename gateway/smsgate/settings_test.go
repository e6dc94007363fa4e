package smsgate

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/griot/gateway/gatewaytest"
)

const sims = `"sims":[{"number":"22376543210"}]`

func TestParse(t *testing.T) {
	t.Parallel()
	for raw, url := range map[string]string{
		`{"url":"http://127.0.0.1:8080/","username":"a","password":"b",` + sims + `}`:                                        "http://127.0.0.1:8080",
		`{"url":"http://192.168.1.10:8080","allow_plaintext":true,"username":"a","password":"b",` + sims + `}`:               "http://192.168.1.10:8080",
		`{"mode":"cloud","device_id":"d","username":"a","password":"b",` + sims + `}`:                                        cloudURL,
		`{"mode":"cloud","url":"https://sms.test/api","device_id":"d","username":"a","password":"b",` + sims + `}`:           "https://sms.test/api",
		`{"url":"https://127.0.0.1:8080","username":"a","password":"b","sims":[{"number":"+22376543210","slot":3}]}`:         "https://127.0.0.1:8080",
		`{"url":"https://127.0.0.1:8080","username":"a","password":"b","delivery_reports":false,"interval":60,` + sims + `}`: "https://127.0.0.1:8080",
	} {
		s, _, err := parse([]byte(raw))
		if err != nil || s.URL != url || s.ClockSkew != 300 || s.ConnectTimeout != 10 || s.SendTimeout != 30 || s.SIMs[0].Number != ourNumber {
			t.Errorf("%s: %+v, %v", raw, s, err)
		}
	}
}

func TestParse_Refuses(t *testing.T) {
	t.Parallel()
	good := `"url":"https://phone.test","username":"kora","password":"balafon"`
	for _, members := range []string{
		``, good, sims, good + `,"sims":[]`, good + `,"sims":[{"number":"76"}]`, good + `,"sims":[{"number":"22376543210","slot":4}]`,
		good + `,"sims":[{"number":"22376543210"},{"number":"22376543211","slot":1}]`,
		good + `,"sims":[{"number":"22376543210","slot":1},{"number":"22376543211","slot":1}]`,
		good + `,"sims":[{"number":"22376543210","slot":1},{"number":"+22376543210","slot":2}]`,
		good + `,"mode":"bluetooth",` + sims, good + `,"mode":"cloud",` + sims, good + `,"device_id":"a b",` + sims,
		good + `,"country_code":"+223",` + sims, good + `,"clock_skew":-1,` + sims, good + `,"interval":3601,` + sims,
		good + `,"connect_timeout":601,` + sims, good + `,"send_timeout":-1,` + sims, good + `,"token":"x",` + sims,
		good + `,"password_file":"x",` + sims, good + `,"signing_key":"a b",` + sims, good + `,"signing_key_file":"missing",` + sims, good + `,"ca_file":"missing",` + sims,
		`"url":"http://phone.test","username":"kora","password":"balafon",` + sims,
		`"url":"https://phone.test","username":"kora",` + sims, `"url":"https://phone.test","password":"balafon",` + sims,
	} {
		_, err := Open([]byte("{"+members+"}"), gatewaytest.NewEnvironment().Deps())
		if err == nil {
			t.Errorf("%s is accepted", members)
		} else if strings.Contains(err.Error(), "balafon") {
			t.Errorf("the error repeats a secret: %v", err)
		}
	}
}

func TestParse_SecretsFromFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, value := range map[string]string{"password": testPassword, "key": testSigning} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(value+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, f, env := opened(t, map[string]any{
		"password": "", "password_file": filepath.Join(dir, "password"), "signing_key": "", "signing_key_file": filepath.Join(dir, "key"),
	})
	if _, err := s.Send(t.Context(), message()); err != nil || len(f.received()) != 1 {
		t.Errorf("got %v, %d messages; want no error, 1 message", err, len(f.received()))
	}
	deliver(t, s, env, received, 200)
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"url":"http://127.0.0.1:8080","username":"a","password":"b",` + sims + `}`))
	f.Add([]byte(`{"mode":"cloud","device_id":"d","username":"a","password":"b","sims":[{"number":"+22376543210","slot":1},{"number":"22376543211","slot":2}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if strings.Contains(string(raw), "file") {
			return // don't read files of the machine
		}
		s, _, err := parse(json.RawMessage(raw))
		if err == nil && (len(s.SIMs) == 0 || s.Password == "" || s.Mode == modeCloud && s.DeviceID == "" || !strings.HasPrefix(s.URL, "http")) {
			t.Errorf("%q gives %+v", raw, s)
		}
	})
}
