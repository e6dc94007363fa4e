package config_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/config"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/seal"
)

func write(t *testing.T, text string) string {
	t.Helper()
	p := filepath.Join(t.TempDir(), "griot.yaml")
	if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return p
}

const whole = `
database: sqlite:/tmp/griot.db
auth:
  url: https://login.example.com
  receivers:
    - phone_id: "1055"
      number: "+22370000099"
      secret: 0123456789abcdef0123456789abcdef
api:
  url: https://api.example.com
gateways:
  - name: mail
    kind: smtp
    settings: {host: localhost, port: 25}
email: {gateway: mail, from: hello@example.com}
`

// Rules: M86.
func TestLoad_DefaultsThenFileThenVariables(t *testing.T) {
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, []byte(seal.NewMasterKey()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(write(t, whole), []string{"GRIOT_MASTER_KEY_FILE=" + key, "GRIOT_API_LISTEN=127.0.0.1:9000", "GRIOT_SEND_WAIT=1s", "GRIOT_ROLES=auth,api", "SVC_SANDBOX=1", "GRIOT_TRUSTED_PROXIES=127.0.0.1,10.1.0.0/8,2001:db8::1"})
	if err != nil {
		t.Fatal(err)
	}
	if p, err := c.TrustedProxies(); err != nil || fmt.Sprint(p) != "[127.0.0.1/32 10.0.0.0/8 2001:db8::1/128]" {
		t.Errorf("proxies %v, %v", p, err)
	}
	if c.API.Listen != "127.0.0.1:9000" || c.Auth.Listen != "127.0.0.1:8081" || c.SendWait != time.Second || len(c.Roles) != 2 || !c.Sandbox || c.Plans != "on" || c.Signup != "closed" || c.Auth.StateMax != 256 || c.Auth.Receivers[0].PhoneID != "1055" {
		t.Errorf("got %+v", c)
	}
	if b, err := c.Gateways[0].JSON(); err != nil || string(b) != `{"host":"localhost","port":25}` {
		t.Errorf("settings %s, %v", b, err)
	}
}

// The public URLs are spelled as browsers spell them in Origin.
func TestLoad_OriginsAsBrowsersWriteThem(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"https://connexion.café.example": "https://connexion.xn--caf-dma.example", "https://Connexion.CAFE\u0301.example": "https://connexion.xn--caf-dma.example",
		"https://connexion.café.example.:443": "https://connexion.xn--caf-dma.example", "https://xn--caf-dma.example:8443": "https://xn--caf-dma.example:8443", "https://пример.example": "https://xn--e1afmkfd.example",
		"https://Entrer.Example.com": "https://entrer.example.com", "https://[2001:DB8:0:0::1]:8443": "https://[2001:db8::1]:8443", "http://localhost:8081": "http://localhost:8081",
	} {
		for _, setting := range []string{"AUTH", "API"} {
			c, err := config.Load(write(t, whole), []string{"GRIOT_MASTER_KEY=" + seal.NewMasterKey(), "GRIOT_" + setting + "_URL=" + given})
			if got := map[string]string{"AUTH": c.Auth.URL, "API": c.API.URL}[setting]; err != nil || got != want {
				t.Errorf("%s of %s: got %q, %v, want %q", given, setting, got, err, want)
			}
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", nil)
			r.Header.Set("Origin", want)
			if own, err := httpx.ParseOwn(c.Auth.URL); setting == "AUTH" && (err != nil || !httpx.SameOrigin(r, own.URL)) {
				t.Errorf("%s: a form of its own is refused: %v", given, err)
			}
		}
	}
}

func TestLoad_ReadsTheOperatorsTexts(t *testing.T) {
	terms := filepath.Join(t.TempDir(), "terms.txt")
	if err := os.WriteFile(terms, []byte("Be kind.\n\nWrite yourself.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	good := "GRIOT_MASTER_KEY=" + seal.NewMasterKey()
	c, err := config.Load(write(t, strings.Replace(whole, "auth:\n", "auth:\n  terms_file: "+terms+"\n", 1)), []string{good, "GRIOT_API_PRIVACY_FILE=" + terms, "GRIOT_OPERATOR_NAME=Kalabash"})
	if err != nil || c.Auth.Terms != "Be kind.\n\nWrite yourself." || c.Auth.Privacy != "" || c.API.Privacy != c.Auth.Terms || c.API.Terms != "" || c.Operator.Name != "Kalabash" {
		t.Errorf("%v, %+v, %+v, %+v", err, c.Auth, c.API, c.Operator)
	}
	if _, err := config.Load(write(t, whole), []string{good, "GRIOT_AUTH_PRIVACY_FILE=/nonexistent"}); err == nil {
		t.Error("a missing text was accepted")
	}
}

func TestLoad_RefusesWhatItDoesNotKnow(t *testing.T) {
	good := "GRIOT_MASTER_KEY=" + seal.NewMasterKey()
	for name, tc := range map[string]struct {
		text string
		env  []string
		want string
	}{
		"no contact":                {whole + "operator: {contact: aide}\n", []string{good}, "operator.contact"},
		"a typo":                    {whole + "databse: x\n", []string{good}, "databse"},
		"no master key":             {whole, nil, "master_key"},
		"a short master key":        {whole, []string{"GRIOT_MASTER_KEY=c2hvcnQ="}, "master_key"},
		"signup is none of three":   {whole + "signup: maybe\n", []string{good}, "signup: closed, invite, or open"},
		"sign-ups below none":       {whole + "limits: {signup_daily: -1}\n", []string{good}, "limits.signup_daily"},
		"plans neither on nor off":  {whole + "plans: maybe\n", []string{good}, "plans"},
		"a state that is too short": {whole, []string{good, "GRIOT_AUTH_STATE_MAX=255"}, "auth.state_max"},
		"a state that is too long":  {strings.Replace(whole, "auth:\n", "auth:\n  state_max: 2049\n", 1), []string{good}, "auth.state_max"},
		"an unknown role":           {whole, []string{good, "GRIOT_ROLES=auth,cook"}, "roles"},
		"a URL with a path":         {strings.Replace(whole, "api.example.com", "api.example.com/v1", 1), []string{good}, "api.url"},
		"a symbol in a host":        {strings.Replace(whole, "login.example", "☃.example", 1), []string{good}, "griot.yaml:4: auth.url: the host must be a valid domain name"},
		"a label with a hyphen":     {strings.Replace(whole, "api.example", "-é.example", 1), []string{good}, "api.url: the host must be a valid domain name"},
		"a long label":              {whole, []string{good, "GRIOT_AUTH_URL=https://" + strings.Repeat("a", 64) + ".example"}, "GRIOT_AUTH_URL: auth.url: the host must be"},
		"a slash at its end":        {whole, []string{good, "GRIOT_AUTH_URL=https://café.example/"}, "auth.url: must be an origin"},
		"one name in two spellings": {strings.NewReplacer("login.example", "café.example", "api.example", "CAFE\u0301.example").Replace(whole), []string{good}, "two origins"},
		"one origin for both":       {strings.Replace(whole, "login.", "api.", 1), []string{good}, "two origins"},
		"everyone is a proxy":       {whole + "trusted_proxies: [0.0.0.0/0]\n", []string{good}, "trusted_proxies: "},
		"all of IPv6 is a proxy":    {whole + "trusted_proxies: [\"::/0\"]\n", []string{good}, "trusted_proxies: "},
		"half of all is a proxy":    {whole + "trusted_proxies: [128.0.0.0/1]\n", []string{good}, "trusted_proxies: "},
		"mail from a word":          {strings.Replace(whole, "hello@example.com", "bonjour", 1), []string{good}, "email.from: "},
		"mail from a name":          {strings.Replace(whole, "hello@example.com", "Griot <hello@example.com>", 1), []string{good}, "email.from: "},
		"a port twice, on all":      {whole + "probe: {listen: \":8082\"}\n", []string{good}, "probe.listen: another listener has this port"},
		"a port twice, by name":     {whole + "probe: {listen: \"localhost:8082\"}\n", []string{good}, "probe.listen: another listener has this port"},
		"a variable of tests":       {whole, []string{good, "GRIOT_TEST_POSTGRES=x"}, "GRIOT_TEST_POSTGRES: is only for Griot's tests (unset it)"},
		"a failpoint":               {whole, []string{good, "GRIOT_FAILPOINT=accepted"}, "GRIOT_FAILPOINT: is only for Griot's tests (unset it)"},
		"attachments from here":     {whole, []string{good, "GRIOT_FETCH_FROM_HERE=1"}, "GRIOT_FETCH_FROM_HERE: is only for Griot's tests (unset it)"},
		"a proxy by name":           {whole + "trusted_proxies: [proxy.internal]\n", []string{good}, "trusted_proxies"},
		"an internal door outside":  {whole + "internal: {listen: \"0.0.0.0:8082\"}\n", []string{good}, "internal.listen"},
		"a receiver's bad number":   {strings.Replace(whole, "+22370000099", "123", 1), []string{good}, "receivers[0]"},
		"a gateway without a name":  {strings.Replace(whole, "name: mail", "name: \"\"", 1), []string{good}, "gateways[0]"},
		"a name with a slash":       {strings.Replace(whole, "name: mail", "name: a/b", 1), []string{good}, "gateways[0]"},
		"email by nobody":           {strings.Replace(whole, "{gateway: mail,", "{gateway: post,", 1), []string{good}, "email"},
		"a prefix of 3 digits":      {whole, []string{good, "GRIOT_OTP_PREFIX_DIGITS=3"}, "otp.prefix_digits"},
		"a cap below nothing":       {whole, []string{good, "GRIOT_OTP_COUNTRY_HOURLY=-1"}, "otp.country_hourly"},
		"no calling code":           {whole + "otp: {countries: {\"2237\": 5}}\n", []string{good}, "otp.countries"},
		"a share above all":         {whole, []string{good, "GRIOT_OTP_ACCOUNT_PERCENT=101"}, "otp.account_percent"},
		"a share below nothing":     {whole + "otp: {accounts: {\"01J9ZK3V8Q5W6X7Y8Z9A0B1C2D\": -1}}\n", []string{good}, "otp.accounts"},
		"more than all":             {whole, []string{good, "GRIOT_OTP_BREAKER_VERIFIED=101"}, "otp.breaker_verified"},
		"a block for ever":          {whole, []string{good, "GRIOT_OTP_BREAKER_BLOCK=25h"}, "otp.breaker_block"},
		"a wait that is none":       {whole, []string{good, "GRIOT_SEND_WAIT=soon"}, "send_wait: must be a duration"},
		"a missing secret file":     {whole, []string{"GRIOT_MASTER_KEY_FILE=/nonexistent"}, "nonexistent"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := config.Load(write(t, tc.text), tc.env)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("got %v, want something about %q", err, tc.want)
			}
			if strings.Contains(err.Error(), "0123456789abcdef") {
				t.Error("the error shows a secret")
			}
		})
	}
}

// The directory of a SQLite file must exist for a server.
func TestCheckFolder(t *testing.T) {
	t.Parallel()
	for folder, want := range map[string]string{"/tmp": "", "/tmp/griot-nonexistent": "griot.yaml:2: database: /tmp/griot-nonexistent doesn't exist", "/dev/null": "database: /dev/null isn't a directory"} {
		c, err := config.Load(write(t, strings.Replace(whole, "sqlite:/tmp/", "sqlite:"+folder+"/", 1)), []string{"GRIOT_MASTER_KEY=" + seal.NewMasterKey()})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.CheckFolder(); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", folder, err, want)
		}
	}
}

func TestLoad_BoundsOfCodes(t *testing.T) {
	good := "GRIOT_MASTER_KEY=" + seal.NewMasterKey()
	c, err := config.Load(write(t, whole+"otp: {prefix_hourly: 0, countries: {\"223\": 90, \"1\": 0}}\n"), []string{good, "GRIOT_OTP_BREAKER_SAMPLE=0"})
	if err != nil {
		t.Fatal(err)
	}
	if o := c.OTP; o.PrefixHourly != 0 || o.Countries["223"] != 90 || o.BreakerSample != 0 || o.PrefixDigits != 7 || o.CountryHourly != 10_000 || o.BreakerBlock != time.Hour || o.AccountPercent != 10 {
		t.Errorf("got %+v", o)
	}
}

func TestLoad_PlansOff(t *testing.T) {
	good := "GRIOT_MASTER_KEY=" + seal.NewMasterKey()
	for name, c := range map[string]struct{ text, env string }{"file": {whole + "plans: off\n", good}, "variable": {whole, "GRIOT_PLANS=off"}} {
		if got, err := config.Load(write(t, c.text), []string{good, c.env}); err != nil || got.Plans != "off" {
			t.Errorf("%s: %v, %+v", name, err, got)
		}
	}
}

func TestLoad_AFileThatIsNamedMustBeThere(t *testing.T) {
	if _, err := config.Load(filepath.Join(t.TempDir(), "none.yaml"), nil); err == nil {
		t.Error("a missing file was accepted")
	}
}
