package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db/dbtest"
)

// checkRefusal checks the properties of every refusal: a complete Error body, and a status that blames the request.
func checkRefusal(t *testing.T, got answer) {
	t.Helper()
	m := got.json(t)
	code, _ := m["error_code"].(string)
	oauthCode, _ := m["error"].(string)
	if got.status < 400 || got.status >= 500 || got.status == http.StatusNotFound {
		t.Errorf("%d %s", got.status, got.body)
		return
	}
	got.refused(t, got.status, oauthCode, code)
}

// Signed bodies about a login that alice has finished: a matching proof is a duplicate,
// and nothing else is accepted or changes anything.
// Rules: L120.
func FuzzVerify(f *testing.F) {
	s := newService(f, dbtest.SQLite(f))
	a := s.app(tenant.Public, tenant.Live)
	b := s.browser()
	loginID := b.start(a)
	words := b.words(loginID)
	checkProved(f, s.verify(s.proof(loginID, "m", alice, words)), false)
	s.redeemed(a, b.code(loginID))
	// Each of the fuzzer's processes has its own login. Inputs name it with placeholders.
	own := strings.NewReplacer("{LOGIN}", loginID, "{words}", words, "{WORDS}", strings.ToUpper(words))
	seed, err := json.Marshal(s.proof("{LOGIN}", "m", alice, "{words}"))
	if err != nil {
		f.Fatal(err)
	}
	for _, body := range []string{
		string(seed), strings.Replace(string(seed), alice, "+"+bob, 1), strings.Replace(string(seed), "{words}", "so: {WORDS}!", 1), strings.Replace(string(seed), "Awa", "\\u00e9", 1),
		"{}", "", `{"timestamp":1e400}`, `{"phoneE164":"\ud800"}`, "\xff", `{"displayName":null,"timestamp":null}`,
	} {
		f.Add(body)
	}
	before := s.rowsWithoutEvents()
	now := s.Clock.Now().UnixMilli()
	f.Fuzz(func(t *testing.T, input string) {
		s, body := s.in(t), own.Replace(input)
		got := s.do(s.request("POST", s.internalURL+"/internal/verify", body, "X-Gateway-Signature", sign(receiverSecret, []byte(body))))
		if after := s.rowsWithoutEvents(); after != before {
			t.Fatalf("%q changed something: %s", body, after)
		}
		var in struct {
			LoginKeyID, PhoneE164, DisplayName, MessageID, ReceiverPhoneID, MatchingWords string
			Timestamp                                                                     int64
		}
		bound := json.Unmarshal([]byte(body), &in) == nil && in.LoginKeyID == loginID && in.ReceiverPhoneID == receiverID &&
			containsWords(in.MatchingWords, words) && in.MessageID != "" && utf8.RuneCountInString(in.MessageID) <= 256 &&
			utf8.RuneCountInString(in.DisplayName) <= 100 && in.Timestamp >= now-60_000 && in.Timestamp <= now+60_000
		switch number := strings.TrimPrefix(in.PhoneE164, "+"); {
		case got.status == http.StatusCreated:
			checkProved(t, got, true)
			if !bound || number != alice {
				t.Errorf("%q was accepted as alice's proof, want a refusal", body)
			}
		case got.json(t)["error_code"] == "phone_conflict":
			if !bound || number == alice {
				t.Errorf("%q was refused as another phone's, want another answer", body)
			}
		default:
			checkRefusal(t, got)
			if input == string(seed) {
				t.Errorf("the unchanged proof: %s, want a duplicate", got.body)
			}
		}
	})
}

// containsWords reports whether a text has English words in order, with any text around and between them.
func containsWords(text, words string) bool {
	rest := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r
		}
		return -1
	}, strings.ToLower(norm.NFKD.String(text)))
	for _, word := range strings.Fields(words) {
		_, after, found := strings.Cut(rest, word)
		if !found {
			return false
		}
		rest = after
	}
	return true
}

// rowsWithoutEvents returns the stored data about logins, without the events of refusals.
func (s *service) rowsWithoutEvents() string {
	stored, _, _ := strings.Cut(s.rows(), ", audit_events")
	return fmt.Sprint(stored, ", consumed by alice ", s.count(`SELECT count(*) FROM login_sessions WHERE status = 'CONSUMED' AND phone = $1`, alice))
}

// Forms of an authenticated client: none gets a token or breaks the service, and the
// response to each is the same as to a JSON body with the same fields.
// Rules: L86.
func FuzzTokenForm(f *testing.F) {
	s := newService(f, dbtest.SQLite(f))
	a := s.app(tenant.Confidential, tenant.Test)
	whole := "client_id=" + a.ClientID + "&client_secret=" + a.Secret + "&code=" + unknownID + "&redirect_uri=" + redirect
	for _, form := range []string{
		whole, whole + "&code_verifier=" + verifier + "&grant_type=authorization_code", whole + "&unknown=%C3%A9",
		"", "code=%00", "code=%ff&code", "a;b", "client_id=%zz", "client_id=&client_id=", "grant_type=password", "client_id=" + a.ClientID + "&client_secret=+",
	} {
		f.Add(form)
	}
	before := s.rows()
	f.Fuzz(func(t *testing.T, form string) {
		s := s.in(t)
		got := s.do(s.request("POST", "/oauth2/token", form, "Content-Type", "application/x-www-form-urlencoded"))
		checkRefusal(t, got)
		if after := s.rows(); after != before {
			t.Errorf("%q stored something: %s", form, after)
		}
		members, ok := jsonMembers(form)
		if !ok {
			return
		}
		want := s.exchange("/oauth2/token", members)
		if got.status != want.status || got.json(t)["error_code"] != want.json(t)["error_code"] {
			t.Errorf("%q: %d %s, as JSON %d %s", form, got.status, got.body, want.status, want.body)
		}
	})
}

// jsonMembers parses a form in which each field occurs once, with values that JSON can contain unescaped.
func jsonMembers(form string) (members map[string]string, ok bool) {
	values, err := url.ParseQuery(form)
	if err != nil {
		return nil, false
	}
	members = map[string]string{}
	for name, v := range values {
		text := name + v[0]
		// JSON's decoder accepts names in any case, and forms don't.
		if len(v) > 1 || !utf8.ValidString(text) || strings.ContainsRune(text, 0) || name != strings.ToLower(name) || !ascii(name) {
			return nil, false
		}
		members[name] = v[0]
	}
	return members, true
}

func ascii(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}
