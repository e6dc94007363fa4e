package config_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/griot/internal/certificate/certtest"
	"example.com/griot/internal/config"
	"example.com/griot/internal/seal"
)

const mistaken = `databse: x
auth:
  url: http://login.example.com
  state_max: many
  receivers:
    - phone_id: 123
      number: "22"
      secret: shortSECRET
      secrets: [x]
roles: auth, cook
send_wait: soon
rate_limits: maybe
limits: {start_address: 7}
gateways:
  - name: mail
    kind: smtp
  - name: mail
    kind: smtp
    settings: {port: 25, port: 26}
log: {level: loud}
api: [SECRET]
plans: true
plans: on
signup: [open]
retained: {messages: 4}
`

func TestLoad_FindsEveryMistakeAtOnce(t *testing.T) {
	t.Parallel()
	file := write(t, mistaken)
	_, err := config.Load(file, []string{"GRIOT_SEND_WAITT=SECRET", "GRIOT_OTP_PREFIX_DIGITS=SECRET", "GRIOT_DATABASE=mysql://root:SECRET@db", "GRIOT_SHOWCASE=false", "GRIOT_AUTH_PRIVACY_FILE=/nonexistent"})
	problems, ok := errors.AsType[config.CheckError](err)
	if !ok {
		t.Fatalf("got %v, want config.CheckError", err)
	}
	want := []string{
		"GRIOT_OTP_PREFIX_DIGITS: otp.prefix_digits: must be a whole number",
		"GRIOT_SEND_WAITT: isn't a known variable (did you mean GRIOT_SEND_WAIT?)",
		"GRIOT_SHOWCASE: isn't a known variable (only griot dev uses it: unset it)",
		"GRIOT_AUTH_PRIVACY_FILE: auth.privacy_file: /nonexistent can't be read: no such file or directory",
		"GRIOT_DATABASE: database: must be sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME",
		"griot.yaml: master_key: must be 32 random bytes in base64 (openssl rand -base64 32, best in a file: master_key_file)",
		"griot.yaml:1: databse: isn't a known setting (did you mean database?)",
		"griot.yaml:3: auth.url: must be https, because keys and codes are sent to it (or set insecure: true to allow http on a trusted network)",
		"griot.yaml:4: auth.state_max: must be a whole number",
		"griot.yaml:7: auth.receivers[0].number: must be a number such as +22370000099",
		"griot.yaml:8: auth.receivers[0].secret: must have at least 32 characters (openssl rand -hex 32, best in a file: secret_file)",
		"griot.yaml:9: auth.receivers[0].secrets: isn't a known setting (did you mean auth.receivers[0].secret?)",
		"griot.yaml:10: roles: there are auth, api, gateway, worker",
		"griot.yaml:11: send_wait: must be a duration such as 30s, 5m, or 1h30m",
		"griot.yaml:12: rate_limits: must be true or false",
		"griot.yaml:13: limits.start_address: a rate is a number of times and a period of 1s to 24h, such as 30/1m; 0 is no limit",
		"griot.yaml:17: gateways[1].name: another gateway has this name",
		"griot.yaml:19: gateways[1].settings: must be fields with values, each set once",
		"griot.yaml:20: log.level: debug, info, warn, or error",
		"griot.yaml:21: api: must have fields (write each field on its own line: name: value)",
		"griot.yaml:22: plans: on or off",
		"griot.yaml:23: plans: is set twice, also in line 22",
		"griot.yaml:24: signup: must be one value",
		"griot.yaml:25: retained: isn't a known setting",
	}
	var got []string
	for _, p := range problems {
		p.File = filepath.Base(p.File)
		got = append(got, p.String())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
	if strings.Contains(err.Error(), "SECRET") {
		t.Errorf("a value is shown:\n%v", err)
	}
	if !strings.HasPrefix(err.Error(), "the configuration has 24 errors:\n  GRIOT_OTP") {
		t.Errorf("got %q", err)
	}
}

// A file that can't be read is one problem, and its missing settings are not reported.
func TestLoad_AFileThatIsNoYAML(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a: [1\nb: SECRET":                          ":1: is not YAML: did not find expected ',' or ']'",
		"plans: on\n\tsignup: SECRET":               ":2: is not YAML: found a tab character that violates indentation",
		"plans: &a SECRET\nsignup: *b":              ": is not YAML: unknown anchor 'b' referenced",
		"plans: on\n---\nsignup: SECRET\n":          ":2: the file has a second document",
		"plans: on # " + strings.Repeat("x", 1<<20): ": is larger than 1 MiB",
		"SECRET": ":1: must have fields",
	} {
		_, err := config.Load(write(t, text), []string{"GRIOT_MASTER_KEY=" + seal.NewMasterKey()})
		if problems, ok := errors.AsType[config.CheckError](err); !ok || len(problems) != 1 || !strings.Contains(err.Error(), "griot.yaml"+want) || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%.40q: got %v, want one mistake: %s", text, err, want)
		}
	}
}

func TestLoad_Lists(t *testing.T) {
	t.Parallel()
	good := "GRIOT_MASTER_KEY=" + seal.NewMasterKey()
	for _, text := range []string{"roles: [auth, api]", "roles: auth,api", "roles: auth, api", "roles:\n  - auth\n  - api", "anchor: &r [auth, api]"} {
		text = strings.Replace(text, "anchor: ", "roles: ", 1)
		c, err := config.Load(write(t, whole+text+"\n"), []string{good})
		if err != nil || strings.Join(c.Roles, " ") != "auth api" {
			t.Errorf("%q: got %v, %v", text, c.Roles, err)
		}
	}
	c, err := config.Load(write(t, whole+"otp: {countries: {\"223\": 5}}\nauth.url:\n"), []string{good})
	if err == nil || c.OTP.Countries["223"] != 5 {
		t.Errorf("got %v, %v", c.OTP.Countries, err)
	}
}

func TestLoad_VariablesOfOthers(t *testing.T) {
	t.Parallel()
	env := []string{"GRIOT_MASTER_KEY=" + seal.NewMasterKey(), "GRIOT_API_KEY=k", "GRIOT_API_KEY_FILE=f", "GRIOT_KEY=k", "GRIOT_WHATSAPP_STORE=s", "GRIOT_ROLES=", "PATH=/bin"}
	if _, err := config.Load(write(t, whole), env); err != nil {
		t.Errorf("other programs' variables: %v", err)
	}
	cluster := append(env, "GRIOT_SERVICE_HOST=10.0.0.1", "GRIOT_SERVICE_PORT=80", "GRIOT_SERVICE_PORT_HTTP=80", "GRIOT_PORT=tcp://10.0.0.1:80", "GRIOT_PORT_80_TCP_ADDR=10.0.0.1", "GRIOT_INTERNAL_PORT_80_TCP=tcp://10.0.0.1:80")
	_, err := config.Load(write(t, whole), cluster)
	if problems, _ := errors.AsType[config.CheckError](err); len(problems) != 6 {
		t.Errorf("outside of Kubernetes: got %v, want 6 mistakes", err)
	}
	if _, err := config.Load(write(t, whole), append(cluster, "KUBERNETES_SERVICE_HOST=10.0.0.2")); err != nil {
		t.Errorf("in Kubernetes: %v", err)
	}
}

func TestLoad_TLS(t *testing.T) {
	t.Parallel()
	good, files, other := "GRIOT_MASTER_KEY="+seal.NewMasterKey(), certtest.Write(t, t.TempDir(), time.Now().AddDate(1, 0, 0)), certtest.Write(t, t.TempDir(), time.Now().AddDate(1, 0, 0))
	for name, tt := range map[string]struct {
		text, want string
	}{
		"a pair":             {whole + "tls: {cert: " + files.Cert + ", key: " + files.Key + "}\n", ""},
		"one of two":         {whole + "tls: {cert: " + files.Cert + "}\n", "tls: needs cert and key"},
		"no file":            {whole + "tls: {cert: " + files.Cert + ", key: /nonexistent}\n", "tls: /nonexistent can't be read: no such file or directory"},
		"no pair":            {whole + "tls: {cert: " + files.Cert + ", key: " + other.Key + "}\n", "are no pair"},
		"an address in http": {strings.Replace(whole, "https://login.example.com", "http://127.0.0.1:8081", 1) + "tls: {cert: " + files.Cert + ", key: " + files.Key + "}\n", "auth.url: must be https, since tls.cert is set"},
	} {
		_, err := config.Load(write(t, tt.text), []string{good})
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", name, err, tt.want)
		}
	}
}

func TestLoad_NoConfigurationAtAll(t *testing.T) {
	t.Chdir(t.TempDir())
	if _, err := config.Load("", []string{"PATH=/bin", "GRIOT_ROLES="}); !errors.Is(err, config.ErrNone) {
		t.Errorf("got %v, want ErrNone", err)
	}
	if _, err := config.Load("", []string{"GRIOT_ROLES=auth"}); err == nil || errors.Is(err, config.ErrNone) {
		t.Errorf("with a variable: got %v, want its mistakes", err)
	}
	if _, err := config.Load("", []string{"GRIOT_DATABSE=sqlite:griot.db"}); err == nil || !strings.Contains(err.Error(), "GRIOT_DATABSE: isn't a known variable (did you mean GRIOT_DATABASE?)") || !strings.Contains(err.Error(), config.ErrNone.Error()) {
		t.Errorf("with a variable that is misspelled: got %v", err)
	}
}

// Networks and listeners that only look alike are accepted.
func TestLoad_ProxiesAndPorts(t *testing.T) {
	t.Parallel()
	good := "GRIOT_MASTER_KEY=" + seal.NewMasterKey()
	for _, text := range []string{
		"trusted_proxies: [10.0.0.0/8, \"fc00::/7\", 192.0.2.7]\n", "internal: {listen: \"[::1]:8080\"}\n", "probe: {listen: \"127.0.0.2:8082\"}\n",
	} {
		if _, err := config.Load(write(t, whole+text), []string{good}); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// docs/config.md has every setting and every variable.
func TestConfig_IsDocumented(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("../../docs/config.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Concat(config.SettingNames(), config.VariableNames()) {
		if strings.HasPrefix(name, "limits.") || strings.HasPrefix(name, "GRIOT_LIMITS_") { // TestLimits_AreDocumented
			continue
		}
		if !strings.Contains(string(b), "`"+name+"`") {
			t.Errorf("docs/config.md has no `%s`", name)
		}
	}
}

// goWords matches words that only a programmer of Griot would understand.
var goWords = regexp.MustCompile(`config\.|limit\.|int64|reflect|struct|strconv|unmarshal|interface|map\[|0x|panic`)

func FuzzParse(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte(mistaken))
	f.Add([]byte("gateways: &a [*a]\nauth: &b {receivers: [*b]}\n"))
	f.Add([]byte("<<: &x {plans: on}\nlimits: *x\notp: {countries: {1: [2], ~: 3}}"))
	f.Add([]byte("gateways: [{settings: {1: 2, ? [a] : b}}]"))
	example, err := os.ReadFile("../../docs/config.md")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(example)
	f.Fuzz(func(t *testing.T, text []byte) {
		lines := bytes.Count(text, []byte("\n")) + bytes.Count(text, []byte("\r")) + bytes.Count(text, []byte("\u2028")) + bytes.Count(text, []byte("\u2029")) + bytes.Count(text, []byte("\u0085")) + 2
		for _, p := range config.ParseFile(text) {
			if p.Line < 0 || p.Line > lines || p.Text == "" || p.File != config.DefaultFile {
				t.Errorf("%+v, of %d lines", p, lines)
			}
			if goWords.MatchString(p.Text) || strings.ContainsAny(p.String(), "\n\r") {
				t.Errorf("%q", p.String())
			}
		}
	})
}
