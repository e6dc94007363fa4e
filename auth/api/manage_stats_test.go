package api_test

import (
	"fmt"
	"net/http"
	"testing"

	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

// Rules: L171.
func TestStats(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		a, b := s.app(tenant.Public, tenant.Test), s.browser()
		b.start(a)
		loginID := b.start(a)
		b.sandbox(loginID, "22300000001").must(t, http.StatusCreated)
		b.exchange("/token", exchange(a, b.code(loginID))).must(t, http.StatusCreated)
		dash := s.dashboard(s.Tenant)
		got := dash.send("GET", "/manage/stats?mode=TEST", "")
		got.must(t, http.StatusOK)
		m := got.json(t)
		want := map[string]any{"started": 2.0, "opened": 0.0, "verified": 1.0, "redeemed": 1.0}
		days, _ := m["days"].([]any)
		if fmt.Sprint(m["today"]) != fmt.Sprint(want) || fmt.Sprint(m["total"]) != fmt.Sprint(want) || len(days) != 30 || m["complete"] != true {
			t.Errorf("got %s", got.body)
		}
		live := dash.send("GET", "/manage/stats", "").json(t)
		if live["mode"] != "LIVE" || live["medianSeconds"] != nil || fmt.Sprint(live["total"]) != fmt.Sprint(map[string]any{"started": 0.0, "opened": 0.0, "verified": 0.0, "redeemed": 0.0}) {
			t.Errorf("LIVE: got %v", live)
		}
		dash.send("GET", "/manage/stats?mode=live", "").refused(t, http.StatusBadRequest, "invalid_request", "malformed_parameter")
		s.do(s.request("GET", "/manage/stats", "")).refused(t, http.StatusUnauthorized, "access_denied", "dashboard_missing")
	})
}
