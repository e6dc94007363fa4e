package api_test

import (
	"net/http"
	"testing"
	"time"

	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

// Rules: L171.
func TestTenantEvents(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		a, b := s.app(tenant.Public, tenant.Test), s.browser()
		b.start(a)
		s.Clock.Advance(time.Minute)
		loginID := b.start(a)
		s.Clock.Advance(time.Second)
		b.sandbox(loginID, "22300000001").must(t, http.StatusCreated)
		dash := s.dashboard(s.Tenant)
		list := func(path string) (types []string, next any) {
			got := dash.send("GET", path, "")
			got.must(t, http.StatusOK)
			m := got.json(t)
			for _, e := range m["events"].([]any) {
				types = append(types, e.(map[string]any)["type"].(string))
			}
			return types, m["nextCursor"]
		}
		first, next := list("/manage/events?type=login.started&limit=1")
		if len(first) != 1 || next == nil {
			t.Fatalf("got %v, next %v, want one event and a cursor", first, next)
		}
		if second, end := list("/manage/events?type=login.started&limit=1&cursor=" + next.(string)); len(second) != 1 || end != nil {
			t.Errorf("got %v, next %v, want the other event and the end", second, end)
		}
		if got, _ := list("/manage/events?loginId=" + loginID); len(got) != 2 || got[0] != tenant.LoginVerified || got[1] != tenant.LoginStarted {
			t.Errorf("got %v, want the login's two events", got)
		}
		for _, query := range []string{"type=x", "loginId=x", "cursor=x", "limit=0", "limit=201", "limit=x"} {
			dash.send("GET", "/manage/events?"+query, "").refused(t, http.StatusBadRequest, "invalid_request", "malformed_parameter")
		}
		s.do(s.request("GET", "/manage/events", "")).refused(t, http.StatusUnauthorized, "access_denied", "dashboard_missing")
	})
}
