package hidden_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"example.com/griot/internal/waittest"
	"example.com/griot/test/system/systemtest"
)

// Meta reports at the account's number that a person has another number. The tenant gets one event and moves the person,
// whose next login with the new number has the same subject.
func TestChanged_ThePersonIsMoved(t *testing.T) {
	t.Parallel()
	const newAwa = "22376000011"
	eachDatabase(t, func(t *testing.T, database string) {
		w := newWorld(t, database)
		s := w.start()
		s.Must(t, "", "admin", "tenants", "webhook", "set", "--tenant", w.tenantID, "--url", w.hook.Url)
		signIn := func(number string) string {
			t.Helper()
			b := w.signIn(s)
			webhook(t, s, "messages", receiverID, fmt.Sprintf(`"contacts":[{"profile":{"name":"Awa"},"wa_id":%q}],"messages":[{"from":%q,"id":"wamid.%s","timestamp":"%d","type":"text","text":{"body":%q}}]`,
				number, number, b.login, now(), b.words))
			return b.signedIn(s.Auth, number)
		}
		person := signIn(awa)
		for range 2 { // Meta repeats the report
			webhook(t, s, "messages", oursID, fmt.Sprintf(`"messages":[{"from":%q,"id":"wamid.changed","timestamp":"%d","type":"system","system":{"type":"user_changed_number","wa_id":%q,"body":"User Awa changed"}}]`, awa, now()+1, newAwa))
		}
		told := func() (bodies []string) {
			for _, r := range w.hook.Received() {
				if strings.Contains(r.Body, `"event":"person.number_changed"`) {
					bodies = append(bodies, r.Body)
				}
			}
			return bodies
		}
		waittest.Until(t, func() error {
			if len(told()) == 0 {
				return systemtest.ErrNotYet
			}
			return nil
		})
		for _, want := range []string{`"subject":"` + person + `"`, `"phone_e164":"` + awa + `"`, `"new_phone_e164":"` + newAwa + `"`} {
			if !strings.Contains(told()[0], want) {
				t.Errorf("the event is %s, want %s", told()[0], want)
			}
		}
		var key struct{ Key string }
		owner := systemtest.NewPerson(t)
		owner.Decode(s.Must(t, "", "admin", "invitations", "create", "--tenant", w.tenantID, "--json"), &key)
		manage(t, owner, s, "/manage/login", fmt.Sprintf(`{"tenantId":%q,"key":%q}`, w.tenantID, key.Key))
		manage(t, owner, s, "/manage/people/"+person+"/move", fmt.Sprintf(`{"newPhoneE164":%q}`, newAwa))
		if again := signIn(newAwa); again != person {
			t.Errorf("the new number's subject is %s, want %s", again, person)
		}
		if next := signIn(awa); next == person {
			t.Error("the old number's next owner has the subject of the person before")
		}
		if all := told(); len(all) != 1 {
			t.Errorf("the tenant was told %v, want once", all)
		}
	})
}

// A gateway reports changes only at its own numbers.
func TestChanged_AtANumberOfAnotherGateway(t *testing.T) {
	t.Parallel()
	const newAwa = "22376000011"
	far := systemtest.NewRemoteGateway(t, true)
	w := newWorldWith(t, "sqlite:"+filepath.Join(t.TempDir(), "griot.db"), "far", far.Settings("far", "whatsapp"))
	s := w.start()
	systemtest.WaitUntilConnected(t, s.Api, w.key)
	b := w.signIn(s)
	reportFar(t, s, "inbound", `"id":"1","from":%q,"to":%q,"text":%q`, awa, receiver, b.words)
	b.signedIn(s.Auth, awa)
	for _, to := range []string{"22370000055", receiver} {
		stored := to == receiver
		reportFar(t, s, "change", `"kind":"number_changed","id":%q,"from":%q,"oldNumber":%q,"to":%q`, "of "+to, newAwa, awa, to)
		exported := s.Must(t, "", "admin", "people", "export", awa, "--json")
		if got := strings.Contains(exported, newAwa); got != stored {
			t.Errorf("reported at %s: stored %v, want %v\n%s", to, got, stored, exported)
		}
	}
}

// manage makes a request of the tenant's dashboard, which must be successful.
func manage(t *testing.T, owner *systemtest.Person, s *systemtest.Server, path, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.Auth+path, strings.NewReader(body))
	systemtest.Must(t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Origin", s.Auth)
	if status, answer, _ := owner.Do(r); status != http.StatusOK {
		t.Fatalf("%s: %d %s", path, status, answer)
	}
}
