package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/griot/auth/tenant"
	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/id"
)

// Rules: L172.
func TestManagePeople(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		a := s.app(tenant.Confidential, tenant.Test)
		token, _ := s.signedIn(a) // 22300000001
		s.Clock.Advance(time.Minute)
		b, loginID := s.provedLogin(a, "22300000002")
		s.redeemed(a, b.code(loginID))
		dash := s.dashboard(s.Tenant)

		first := dash.send("GET", "/manage/people?limit=1", "")
		first.must(t, http.StatusOK)
		newest := list(t, first.json(t), "people")
		if len(newest) != 1 || newest[0]["phone"] != "+223*****002" || newest[0]["displayName"] != "Sandbox 2" || newest[0]["mode"] != "TEST" {
			t.Fatalf("got %v, want the newest", newest)
		}
		second := dash.send("GET", "/manage/people?cursor="+text(t, first.json(t), "nextCursor"), "")
		oldest := list(t, second.json(t), "people")
		if len(oldest) != 1 || oldest[0]["phone"] != "+223*****001" || second.json(t)["nextCursor"] != nil {
			t.Fatalf("got %v, want the other and the end", second.body)
		}
		for _, number := range []string{"22300000001", "%2B22300000001", "+22300000001", "+22300000001&utm=a;b"} {
			if found := list(t, dash.send("GET", "/manage/people?phone="+number, "").json(t), "people"); len(found) != 1 || found[0]["id"] != oldest[0]["id"] {
				t.Errorf("%s: found %v", number, found)
			}
		}
		if found := list(t, dash.send("GET", "/manage/people?phone=22300000009", "").json(t), "people"); len(found) != 0 {
			t.Errorf("found %v", found)
		}
		for _, query := range []string{"cursor=x", "limit=0", "limit=201", "limit=x", "phone=", "phone=2230000000x", "phone=0022300000001", "phone=++22300000001", "phone=22300+000001"} {
			dash.send("GET", "/manage/people?"+query, "").refused(t, http.StatusBadRequest, "invalid_request", "malformed_parameter")
		}

		path := "/manage/people/" + text(t, oldest[0], "id")
		whole := dash.send("GET", path, "")
		whole.must(t, http.StatusOK)
		if m := whole.json(t); m["phoneE164"] != "22300000001" || m["complete"] != true || len(list(t, m, "events")) != 2 || m["firstSeenAt"] != "2026-03-01T12:00:00.000Z" {
			t.Errorf("exported %s", whole.body)
		}
		other := s.dashboard(s.NewTenant(t, "Another"))
		for _, absent := range []answer{other.send("GET", path, ""), dash.send("GET", "/manage/people/"+id.New(s.Clock.Now()), "")} {
			absent.refused(t, http.StatusNotFound, "invalid_request", "person_not_found")
		}
		if got := other.send("DELETE", path, ""); got.json(t)["erased"] != false {
			t.Errorf("another tenant erased: %s", got.body)
		}
		if !s.active(a, token) {
			t.Fatal("the token ended before the erasure")
		}
		for _, want := range []bool{true, false} {
			got := dash.send("DELETE", path, "")
			got.must(t, http.StatusOK)
			if got.json(t)["erased"] != want {
				t.Errorf("got %s, want erased: %v", got.body, want)
			}
		}
		if s.active(a, token) {
			t.Error("the token goes on after the erasure")
		}
		dash.send("GET", path, "").refused(t, http.StatusNotFound, "invalid_request", "person_not_found")
		for _, bad := range []answer{dash.send("DELETE", "/manage/people/x", ""), dash.send("GET", "/manage/people/x", "")} {
			bad.refused(t, http.StatusBadRequest, "invalid_request", "malformed_parameter")
		}
		detached := text(t, newest[0], "id")
		if _, err := s.auth.Verbs().Call(t.Context(), "people.detach", []byte(`{"tenantId":"`+s.Tenant.ID+`","id":"`+detached+`"}`)); err != nil {
			t.Fatal(err)
		}
		if m := dash.send("GET", "/manage/people/"+detached, "").json(t); m["phone"] != nil || m["phoneE164"] != nil || m["detachedAt"] != "2026-03-01T12:01:00.000Z" || m["displayName"] != "Sandbox 2" {
			t.Errorf("exported after the number was detached: %v, want no number", m)
		}
		if found := list(t, dash.send("GET", "/manage/people?phone=22300000002", "").json(t), "people"); len(found) != 0 {
			t.Errorf("the detached person is found by the number: %v", found)
		}
		events := string(dash.send("GET", "/manage/events", "").body)
		if strings.Contains(events, "*001") || strings.Count(events, tenant.PersonErased) != 1 || strings.Count(events, tenant.PersonExported) != 2 {
			t.Errorf("the events after an erasure and two exports are %s", events)
		}
	})
}

// A tenant learns of a person's new number, and moves the person to it: the next login with the new number has the same
// subject.
// Rules: L207, L208.
func TestMovePerson(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		a := s.app(tenant.Public, tenant.Live)
		const from, to = "22376543210", "22376543299"
		signIn := func(number string) (subject string) {
			b := s.browser()
			loginID := b.start(a)
			s.accepted("m"+loginID, number, b.words(loginID))
			return text(t, s.redeemed(a, b.code(loginID)).json(t), "subject")
		}
		person := signIn(from)
		dash := s.dashboard(s.Tenant)
		path := "/manage/people/" + person
		move := func(body string) answer { return dash.send("POST", path+"/move", body) }
		if m := dash.send("GET", path, "").json(t); m["newPhone"] != nil || m["numberChangedAt"] != nil || m["newPhoneE164"] != nil {
			t.Errorf("exported before the report: %v", m)
		}
		move(`{"newPhoneE164":"`+to+`"}`).refused(t, http.StatusConflict, "invalid_request", "number_not_reported")
		c := gateway.Change{Gateway: receiverGateway, Channel: gateway.WhatsApp, Kind: gateway.NumberChanged, To: receiverNumber, OldNumber: from, From: to, At: s.Clock.Now()}
		for range 2 {
			if err := s.auth.Logins.NumberChanged(t.Context(), &c); err != nil {
				t.Fatal(err)
			}
		}
		want := s.Clock.Now().UTC().Format("2006-01-02T15:04:05.000Z")
		if m := dash.send("GET", path, "").json(t); m["newPhone"] != "+223*****299" || m["numberChangedAt"] != want || m["newPhoneE164"] != to || m["phoneE164"] != from {
			t.Errorf("exported after the report: %v", m)
		}
		if all := list(t, dash.send("GET", "/manage/people", "").json(t), "people"); len(all) != 1 || all[0]["newPhone"] != "+223*****299" || all[0]["numberChangedAt"] != want || all[0]["newPhoneE164"] != nil {
			t.Errorf("listed after the report: %v", all)
		}
		for body, code := range map[string]string{`{}`: "missing_parameter", `{"newPhoneE164":null}`: "missing_parameter", `{"newPhoneE164":"x"}`: "malformed_parameter", `{"newPhoneE164":1}`: "malformed_parameter", `{`: "invalid_json"} {
			move(body).refused(t, http.StatusBadRequest, "invalid_request", code)
		}
		move(`{"newPhoneE164":"22376543288"}`).refused(t, http.StatusConflict, "invalid_request", "number_not_reported")
		other := s.dashboard(s.NewTenant(t, "Another"))
		for _, absent := range []answer{other.send("POST", path+"/move", `{"newPhoneE164":"`+to+`"}`), dash.send("POST", "/manage/people/"+id.New(s.Clock.Now())+"/move", `{"newPhoneE164":"`+to+`"}`)} {
			absent.refused(t, http.StatusNotFound, "invalid_request", "person_not_found")
		}
		second := signIn(to)
		move(`{"newPhoneE164":"+`+to+`"}`).refused(t, http.StatusConflict, "invalid_request", "number_taken")
		dash.send("DELETE", "/manage/people/"+second, "").must(t, http.StatusOK)
		s.Clock.Advance(time.Minute)
		c.At = s.Clock.Now() // the erasure has removed the report
		if err := s.auth.Logins.NumberChanged(t.Context(), &c); err != nil {
			t.Fatal(err)
		}
		moved := move(`{"newPhoneE164":"+` + to + `"}`)
		moved.must(t, http.StatusOK)
		if m := moved.json(t); m["logins"] != 0.0 || m["tokens"] != 1.0 {
			t.Errorf("moved: %s, want one token revoked", moved.body)
		}
		if m := dash.send("GET", path, "").json(t); m["newPhone"] != nil || m["phoneE164"] != to {
			t.Errorf("exported after the move: %v", m)
		}
		if again := signIn(to); again != person {
			t.Errorf("the new number's subject is %s, want %s", again, person)
		}
		if next := signIn(from); next == person {
			t.Error("the old number's next owner has the subject of the person before")
		}
		events := string(dash.send("GET", "/manage/events", "").body)
		if strings.Count(events, tenant.PersonMoved) != 1 || strings.Contains(events, to) || !strings.Contains(events, `"actor":"gateway"`) {
			t.Errorf("the events after the move are %s", events)
		}
	})
}

// The operator moves a person, too. An export by the new number has the person, and an erasure by it removes the report.
// Rules: L207.
func TestMovePerson_ByTheOperator(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		a := s.app(tenant.Public, tenant.Live)
		const from, to = "22376543210", "22376543299"
		b := s.browser()
		loginID := b.start(a)
		s.accepted("m1", from, b.words(loginID))
		person := text(t, s.redeemed(a, b.code(loginID)).json(t), "subject")
		report := func() {
			t.Helper()
			s.Clock.Advance(time.Minute)
			c := gateway.Change{Gateway: receiverGateway, Channel: gateway.WhatsApp, Kind: gateway.NumberChanged, To: receiverNumber, OldNumber: from, From: to, At: s.Clock.Now()}
			if err := s.auth.Logins.NumberChanged(t.Context(), &c); err != nil {
				t.Fatal(err)
			}
		}
		call := func(verb, in string) (string, error) {
			out, err := s.auth.Verbs().Call(t.Context(), verb, []byte(in))
			return strings.TrimSpace(string(out)), err
		}
		move := `{"tenantId":"` + s.Tenant.ID + `","id":"` + person + `","phone":"+` + to + `"}`
		if _, err := call("people.move", move); err == nil {
			t.Errorf("moved without a report: %v", err)
		}
		report()
		if out, err := call("people.export", `{"phone":"`+to+`"}`); err != nil || !strings.Contains(out, person) || !strings.Contains(out, `"newPhone":"`+to+`"`) || !strings.Contains(out, "numberChangedAt") {
			t.Errorf("exported by the new number: %s, %v", out, err)
		}
		if out, err := call("people.erase", `{"phone":"`+to+`"}`); err != nil || out != "[]" {
			t.Errorf("erased by the new number: %s, %v, want no person", out, err)
		}
		if out, err := call("people.export", `{"phone":"`+to+`"}`); err != nil || out != "[]" {
			t.Errorf("exported by the new number after the erasure: %s, %v", out, err)
		}
		if out, err := call("people.export", `{"phone":"`+from+`"}`); err != nil || !strings.Contains(out, person) || strings.Contains(out, to) || strings.Contains(out, "numberChangedAt") {
			t.Errorf("exported by the old number after the erasure: %s, %v", out, err)
		}
		report()
		if out, err := call("people.move", move); err != nil || !strings.Contains(out, `"tokens":1`) {
			t.Errorf("moved: %s, %v", out, err)
		}
		if out, err := call("people.erase", `{"phone":"`+to+`"}`); err != nil || !strings.Contains(out, person) {
			t.Errorf("erased after the move: %s, %v", out, err)
		}
	})
}
