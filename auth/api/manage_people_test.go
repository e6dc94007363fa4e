package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/id"
)

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
		if _, err := s.api.Admin().Call(t.Context(), "people.detach", []byte(`{"tenantId":"`+s.Tenant.ID+`","id":"`+detached+`"}`)); err != nil {
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
