package operate_test

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"example.com/griot/internal/config"
	messagingverbs "example.com/griot/messaging/verbs"
	"example.com/griot/test/system/systemtest"
)

// observed is the check that a setting reaches the running program: a test of this package, or a check of a server with
// the value.
type observed struct {
	by    string // a test
	value string // of its variable
	look  func(s *settled) bool
}

// settled is a running server, and an account on it.
type settled struct {
	*systemtest.Server
	t   *testing.T
	key string
}

// get returns a page's status and text.
func (s *settled) get(url string) (int, string) {
	r, err := systemtest.Call("GET", url, "", "Accept-Language: en")
	if err != nil {
		s.t.Fatal(err)
	}
	return r.Status, r.Raw
}

// shows returns a check for a text on a page.
func shows(url func(*settled) string, text string) func(*settled) bool {
	return func(s *settled) bool {
		_, page := s.get(url(s))
		return strings.Contains(page, text)
	}
}

func ofAuth(path string) func(*settled) string {
	return func(s *settled) string { return s.Auth + path }
}

func ofAPI(path string) func(*settled) string { return func(s *settled) string { return s.Api + path } }

// sandboxed reports whether a message is simulated.
func sandboxed(s *settled) bool {
	r, err := systemtest.Call("POST", s.Api+"/api/send", `{"channel":"sms","to":"22376000001","message":"Bonjour"}`, s.key)
	return err == nil && r.Text("status") == "SANDBOX"
}

// rotatesSecret reports whether an account can replace the secret of its webhook, which it doesn't have.
func rotatesSecret(s *settled) bool {
	r, err := systemtest.Call("POST", s.Api+"/api/webhooks/rotate-secret", "", s.key)
	return err == nil && r.Text("code") == "webhook_not_configured"
}

// limited returns a check that the second call is refused.
func limited(method string, url func(*settled) string, body string) func(*settled) bool {
	return func(s *settled) bool {
		last := 0
		for range 2 {
			r, err := systemtest.Call(method, url(s), body, "Content-Type: application/json", "Origin: "+strings.SplitAfter(url(s), "//")[0]+strings.Split(strings.SplitAfter(url(s), "//")[1], "/")[0])
			if err != nil {
				s.t.Fatal(err)
			}
			last = r.Status
		}
		return last == 429
	}
}

// settingVariables returns the settings of a configuration with their variables; lists and maps have none.
func settingVariables(of reflect.Type, at, prefix string) map[string]string {
	all := map[string]string{}
	for f := range of.Fields() {
		name, variable := f.Tag.Get("yaml"), f.Tag.Get("env")
		inner := f.Type
		switch {
		case f.Anonymous:
			for k, v := range settingVariables(inner, at, prefix) {
				all[k] = v
			}
		case name == "-" || !f.IsExported():
		case f.Tag.Get("envPrefix") != "":
			for k, v := range settingVariables(inner, at+name+".", prefix+f.Tag.Get("envPrefix")) {
				all[k] = v
			}
		case variable == "-":
			all[at+name] = ""
		default:
			all[at+name] = prefix + variable
		}
	}
	return all
}

// settingsTable returns the check of each setting in the running program. texts is a directory with the operator's
// texts.
func settingsTable(texts string) map[string]observed {
	test := func(name string) observed { return observed{by: name} }
	return map[string]observed{
		"database":                           test("TestServe_SendsEmailThroughARelay"),
		"master_key":                         test("TestServe_RefusesABadConfiguration"),
		"master_key_file":                    test("TestServe_SendsEmailThroughARelay"),
		"master_key_previous_file":           test("TestMasterKey_RotatedWhileServing"),
		"master_key_any_mode":                test("TestServe_RefusesHttpBeyondThisMachineAndAnOpenKey"),
		"insecure":                           test("TestServe_RefusesHttpBeyondThisMachineAndAnOpenKey"),
		"roles":                              test("TestTasks_OfEachRole"),
		"rate_limits":                        test("TestServe_KnowsPeopleBehindItsProxies"),
		"sandbox":                            {value: "true", look: sandboxed},
		"plans":                              test("TestServe_PlansOff"),
		"unknown_wait":                       test("TestFaults_TheDatabaseIsGoneForAWhile"),
		"auth.listen":                        test("TestServe_SendsEmailThroughARelay"),
		"auth.url":                           test("TestServe_SendsEmailThroughARelay"),
		"auth.receivers":                     test("TestServe_SignsInByWhatsApp"),
		"auth.terms_file":                    {value: filepath.Join(texts, "terms-of-logins"), look: shows(ofAuth("/terms"), "terms-of-logins")},
		"auth.privacy_file":                  {value: filepath.Join(texts, "privacy-of-logins"), look: shows(ofAuth("/privacy"), "privacy-of-logins")},
		"auth.state_max":                     test("TestServe_Connections"),
		"auth.ask_for_number":                {value: "true", look: func(s *settled) bool { return strings.Contains(s.Out.String(), "messages of logins") }},
		"auth.confirm_sign_in":               test("TestServe_ConfirmsSignIns"),
		"api.listen":                         test("TestServe_SendsEmailThroughARelay"),
		"api.url":                            test("TestServe_SendsEmailThroughARelay"),
		"api.terms_file":                     {value: filepath.Join(texts, "terms-of-messages"), look: shows(ofAPI("/terms"), "terms-of-messages")},
		"api.privacy_file":                   {value: filepath.Join(texts, "privacy-of-messages"), look: shows(ofAPI("/privacy"), "privacy-of-messages")},
		"api.whatsapp_sign_in.client_id":     {value: "cl_dashboard", look: shows(ofAPI("/dashboard/sign-in"), "/api/session/whatsapp/start")},
		"api.whatsapp_sign_in.client_secret": test("TestDashboard_WhatsAppInABrowser"),
		"operator.name":                      test("TestDev_NamesItsOperator"),
		"operator.contact":                   test("TestDev_NamesItsOperator"),
		"operator.since":                     test("TestDev_NamesItsOperator"),
		"trusted_proxies":                    test("TestServe_KnowsPeopleBehindItsProxies"),
		"tls.cert":                           test("TestServe_ReadsItsCertificateAgain"),
		"tls.key":                            test("TestServe_ReadsItsCertificateAgain"),
		"internal.listen":                    test("TestServe_SendsEmailThroughARelay"),
		"connections.total":                  test("TestServe_Connections"),
		"probe.listen":                       test("TestProbes_FromTheFirstRequestToTheEnd"),
		"drain_delay":                        test("TestProbes_FromTheFirstRequestToTheEnd"),
		"limits.code_address":                {value: "1/1h", look: limited("POST", ofAPI("/api/session"), `{"email":"nobody@example.com"}`)},
		"limits.try_address":                 {value: "1/1h", look: limited("POST", ofAPI("/api/session/verify"), `{"email":"nobody@example.com","code":"123456"}`)},
		"limits.manage_address":              {value: "1/1h", look: limited("POST", ofAuth("/manage/login"), `{"tenantId":"t_x","invitationKey":"x"}`)},
		"limits.start_address":               {value: "1/1h", look: limited("GET", ofAuth("/authorize?client_id=x"), "")},
		"otp.breaker_sample":                 test("TestAdmin_SeesAndLiftsWhatHoldsCodesBack"),
		"log.level":                          {value: "debug", look: func(s *settled) bool { return strings.Contains(s.Out.String(), "a task starts") }},
		"log.format":                         {value: "text", look: func(s *settled) bool { return !strings.HasPrefix(s.Out.String(), "{") }},
		"email.gateway":                      test("TestServe_SendsEmailThroughARelay"),
		"email.from":                         test("TestServe_SendsEmailThroughARelay"),
		"webhooks.accounts_set_url":          {value: "true", look: rotatesSecret},
		"webhooks.allow":                     test("TestServe_WebhooksToANeighbour"),
		"billing.provider":                   test("TestServe_SellsPlans"),
		"billing.stripe.secret_key":          test("TestServe_SellsPlans"),
		"billing.stripe.webhook_secret_file": test("TestServe_SellsPlans"),
		"billing.stripe.prices":              test("TestServe_SellsPlans"),
		"billing.stripe.url":                 test("TestServe_SellsPlans"),
		"gateways":                           test("TestServe_SendsEmailThroughARelay"),
	}
}

// unobserved are the settings whose effect is only tested in their packages, with options and not with the program. Add
// no new names to the list.
var unobserved = []string{
	"signup", "send_wait", "under_way", "media.max_size", "media.account_size", "retention.messages", "retention.content", "retention.events", "retention.audit", "retention.inbox",
	"api.whatsapp_sign_in.client_secret_file", "connections.per_address", "webhooks.allow_private", "billing.contact", "billing.stripe.secret_key_file", "billing.stripe.webhook_secret",
	"limits.start_client_address", "limits.live_logins", "limits.poll_login", "limits.activate_login", "limits.sandbox_login", "limits.refused_address", "limits.public_client_address",
	"limits.token_client", "limits.revoke_client", "limits.introspect_client", "limits.proof_phone", "limits.guess_phone", "limits.code_email", "limits.signup_address", "limits.signup_daily",
	"limits.invite_account", "limits.invite_email",
	"otp.prefix_digits", "otp.prefix_hourly", "otp.country_hourly", "otp.countries", "otp.account_percent", "otp.accounts", "otp.breaker_verified", "otp.breaker_block",
}

// Every field of the configuration is in the table, and the tests that it names exist.
func TestSettings_EachHasAnEntry(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../*/*_test.go")
	systemtest.Must(t, err)
	var tests strings.Builder
	for _, f := range files {
		b, err := os.ReadFile(f)
		systemtest.Must(t, err)
		tests.Write(b)
	}
	table, all := settingsTable("texts"), settingVariables(reflect.TypeFor[config.Config](), "", config.Prefix)
	for setting := range all {
		if _, has := table[setting]; has == slices.Contains(unobserved, setting) {
			t.Errorf("%s is a setting: say once in settingsTable how the running program shows it", setting)
		}
	}
	for setting, o := range table {
		if _, is := all[setting]; !is {
			t.Errorf("%s is no setting", setting)
		}
		if o.by != "" && !strings.Contains(tests.String(), "func "+o.by+"(t *testing.T)") {
			t.Errorf("%s: there is no test %s", setting, o.by)
		}
	}
	for _, setting := range unobserved {
		if _, is := all[setting]; !is {
			t.Errorf("%s is no setting", setting)
		}
	}
}

// A server without a setting doesn't show it, and one that was started with it does. Settings that would hide others'
// effects are set on a separate server.
func TestSettings_ReachTheProgram(t *testing.T) {
	t.Parallel()
	texts, far := t.TempDir(), systemtest.NewRemoteGateway(t, false)
	for _, name := range []string{"terms-of-logins", "privacy-of-logins", "terms-of-messages", "privacy-of-messages"} {
		systemtest.Must(t, os.WriteFile(filepath.Join(texts, name), []byte("These are the "+name+".\n"), 0o600))
	}
	table, variables := settingsTable(texts), settingVariables(reflect.TypeFor[config.Config](), "", config.Prefix)
	base := systemtest.StartServeWith(t, "sqlite:"+filepath.Join(t.TempDir(), "griot.db"), "gateways:"+far.Settings("far", "sms"))
	o := &systemtest.Operator{T: t, Dir: base.Cmd.Dir, Env: base.Cmd.Env}
	a := systemtest.RunJSON[messagingverbs.Account](o, "accounts", "create", "--name", "Boutique Awa", "--email", "awa@example.com")
	key := "X-API-Key: " + systemtest.RunJSON[messagingverbs.Key](o, "api-keys", "create", "--account", a.ID).Key
	systemtest.RunJSON[messagingverbs.Sender](o, "senders", "add", "--account", a.ID, "--channel", "sms", "--address", "+22370000042", "--gateway", "far")

	look := func(s *systemtest.Server, want bool, only func(setting string) bool) {
		t.Helper()
		for setting, o := range table {
			if o.look != nil && only(setting) && o.look(&settled{s, t, key}) != want {
				t.Errorf("%s: the program shows it: %v, want %v", setting, !want, want)
			}
		}
	}
	isLimit := func(setting string) bool { return strings.HasPrefix(setting, "limits.") }
	restart := func(s *systemtest.Server, environ ...string) *systemtest.Server {
		t.Helper()
		s.End(t)
		next := &systemtest.Server{Out: s.Out, Api: base.Api, Auth: base.Auth, Internal: base.Internal}
		next.Cmd = base.Command("")
		next.Cmd.Env = append(slices.Clone(base.Cmd.Env), environ...)
		return next.Restart(t)
	}
	look(base, false, func(string) bool { return true })
	changed, limits := []string{"GRIOT_API_WHATSAPP_SIGN_IN_CLIENT_SECRET=cs_dashboard"}, []string(nil) // the id requires it
	for setting, o := range table {
		switch pair := variables[setting] + "=" + o.value; {
		case o.look == nil:
		case isLimit(setting):
			limits = append(limits, pair)
		default:
			changed = append(changed, pair)
		}
	}
	second := restart(base, changed...)
	look(second, true, func(setting string) bool { return !isLimit(setting) })
	third := restart(second, append(limits, "GRIOT_RATE_LIMITS=true", "SVC_SANDBOX=1")...)
	look(third, true, isLimit)
	if !sandboxed(&settled{third, t, key}) {
		t.Error("SVC_SANDBOX=1 simulates nothing")
	}
	third.End(t)
}
