package api_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/griot/auth"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/seal"
)

// Rules: L144, L147.
func TestManageLogin(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		in := s.invited(s.Tenant)
		tokens := map[string]bool{}
		for range 3 { // a key works until it expires
			got := in.login()
			if got.status != http.StatusOK || strings.TrimSpace(string(got.body)) != `{"ok":true}` {
				t.Fatalf("%d %s", got.status, got.body)
			}
			c := setCookie(got)
			if c == nil || len(c.Value) != 43 || c.Path != "/" || c.MaxAge != 3600 || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Secure || c.Domain != "" {
				t.Fatalf("cookie %v", got.header.Values("Set-Cookie"))
			}
			tokens[c.Value] = true
			in.overview()
		}
		if len(tokens) != 3 {
			t.Errorf("%d different tokens", len(tokens))
		}
		for token := range tokens {
			if s.count(`SELECT count(*) FROM dashboard_sessions WHERE token_hash = $1`, seal.Hash(token)) != 1 ||
				s.count(`SELECT count(*) FROM dashboard_sessions WHERE token_hash = $1`, token) != 0 {
				t.Error("a token is not stored as its hash")
			}
		}
		if n := s.count(`SELECT count(*) FROM audit_events WHERE type = 'dashboard.login' AND actor = 'tenant' AND result = 'ok'`); n != 3 {
			t.Errorf("%d events", n)
		}
	})
}

// Rules: L147.
func TestManageLogin_SecureCookie(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), func(o *auth.Options) { o.URL = "https://auth.example" })
	in := s.invited(s.Tenant)
	got := in.send("POST", "/manage/login", fmt.Sprintf(`{"tenantId":%q,"key":%q}`, s.Tenant.ID, in.key), "Origin", "https://auth.example")
	if c := setCookie(got); got.status != http.StatusOK || c == nil || !c.Secure {
		t.Errorf("%d %v", got.status, got.header)
	}
}

// Rules: L144.
func TestManageLogin_Refuses(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		in := s.invited(s.Tenant)
		body := func(tenantID, key string) string { return fmt.Sprintf(`{"tenantId":%q,"key":%q}`, tenantID, key) }
		good := body(s.Tenant.ID, in.key)
		before := s.allRows()
		for name, tt := range map[string]struct{ body, code string }{
			"no body":               {"", "invalid_json"},
			"a list":                {"[]", "invalid_json"},
			"null":                  {"null", "invalid_json"},
			"half":                  {good[:20], "invalid_json"},
			"two":                   {good + good, "invalid_json"},
			"U+0000":                {`{"tenantId":"\u0000","key":""}`, "invalid_json"},
			"not UTF-8":             {"{\"tenantId\":\"\xff\"}", "invalid_json"},
			"too large":             {strings.Repeat(" ", 1<<20) + good, "body_too_large"},
			"no members":            {"{}", "missing_parameter"},
			"no tenant":             {`{"key":"` + in.key + `"}`, "missing_parameter"},
			"no key":                {`{"tenantId":"` + s.Tenant.ID + `"}`, "missing_parameter"},
			"tenant null":           {`{"tenantId":null,"key":"` + in.key + `"}`, "missing_parameter"},
			"key null":              {`{"tenantId":"` + s.Tenant.ID + `","key":null}`, "missing_parameter"},
			"tenant a number":       {`{"tenantId":7,"key":"` + in.key + `"}`, "malformed_parameter"},
			"key a list":            {`{"tenantId":"` + s.Tenant.ID + `","key":["` + in.key + `"]}`, "malformed_parameter"},
			"tenant of 25":          {body(s.Tenant.ID[:25], in.key), "malformed_parameter"},
			"tenant of 27":          {body(s.Tenant.ID+"0", in.key), "malformed_parameter"},
			"tenant in lower case":  {body(strings.ToLower(s.Tenant.ID), in.key), "malformed_parameter"},
			"tenant with an I":      {body("I"+s.Tenant.ID[1:], in.key), "malformed_parameter"},
			"key of 31":             {body(s.Tenant.ID, strings.Repeat("k", 31)), "malformed_parameter"},
			"key of 31 in 62 bytes": {body(s.Tenant.ID, strings.Repeat("é", 31)), "malformed_parameter"},
		} {
			got := in.send("POST", "/manage/login", tt.body)
			if got.refused(t, 400, "invalid_request", tt.code); t.Failed() {
				t.Fatalf("at: %s", name)
			}
		}
		in.send("POST", "/manage/login", good, "Content-Type", "text/plain").refused(t, 400, "invalid_request", "unsupported_media_type")
		if after := s.allRows(); after != before {
			t.Errorf("stored:\n%s\nbefore:\n%s", after, before)
		}
	})
}

// Rules: L144, L146.
func TestManageLogin_Invitations(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		other := s.NewTenant(s.t, "Other")
		in := s.invited(s.Tenant)
		failures := func() int {
			s.storeCounts()
			return s.count(`SELECT CAST(COALESCE(SUM(count), 0) AS BIGINT) FROM audit_events WHERE type = 'dashboard.login_failed' AND result = 'denied' AND error_code = 'invitation_invalid'`)
		}
		refused := func(d *dashboard, recorded int) {
			t.Helper()
			before, sessions := failures(), s.count(`SELECT count(*) FROM dashboard_sessions`)
			got := d.login()
			got.refused(t, 401, "access_denied", "invitation_invalid")
			if setCookie(got) != nil || failures()-before != recorded || s.count(`SELECT count(*) FROM dashboard_sessions`) != sessions {
				t.Errorf("%v, %d events", got.header, failures()-before)
			}
		}
		refused(&dashboard{service: s, tenant: s.Tenant, key: strings.Repeat("k", 32)}, 1)
		refused(&dashboard{service: s, tenant: s.Tenant, key: in.key + "x"}, 1)
		refused(&dashboard{service: s, tenant: other, key: in.key}, 1)
		refused(&dashboard{service: s, tenant: tenant.Tenant{ID: unknownID}, key: in.key}, 0) // an unknown tenant's events

		revoked := s.dashboard(s.Tenant)
		invitations, err := s.Tenants.ListInvitations(context.Background(), s.Tenant.ID)
		if err != nil || len(invitations) != 2 {
			t.Fatalf("%v %v", invitations, err)
		}
		for _, i := range invitations {
			if !i.UsedAt.IsZero() { // the one that revoked has been used
				if ok, err := s.Tenants.RevokeInvitation(context.Background(), s.Tenant.ID, i.ID); !ok || err != nil {
					t.Fatal(ok, err)
				}
			}
		}
		revoked.send("GET", "/manage/overview", "").refused(t, 401, "access_denied", "dashboard_expired")
		refused(revoked, 1)

		s.Clock.Advance(tenant.InvitationTime - time.Millisecond)
		in.login().want(t, http.StatusOK)
		s.Clock.Advance(time.Millisecond)
		refused(in, 1)
		in.overview() // the session outlives its key
	})
}

// Rules: L146.
func TestManageLogin_SingleUse(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		key, err := s.Tenants.CreateSingleUseInvitation(t.Context(), s.Tenant.ID, tenant.InvitationTime)
		if err != nil {
			t.Fatal(err)
		}
		answers := make([]answer, 20)
		var all sync.WaitGroup
		for i := range answers {
			all.Go(func() { answers[i] = (&dashboard{service: s, tenant: s.Tenant, key: key}).login() })
		}
		all.Wait()
		opened := 0
		for _, got := range answers {
			if got.status == http.StatusOK {
				opened++
				continue
			}
			got.refused(t, 401, "access_denied", "invitation_invalid")
		}
		s.storeCounts()
		if opened != 1 || s.count(`SELECT count(*) FROM dashboard_sessions`) != 1 ||
			s.count(`SELECT count(*) FROM audit_events WHERE type = 'dashboard.login'`) != 1 ||
			s.count(`SELECT count FROM audit_events WHERE type = 'dashboard.login_failed'`) != 19 {
			t.Errorf("%d sessions were opened", opened)
		}
	})
}

// Rules: L145.
func TestManage_SessionLastsAnHour(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		in := s.dashboard(s.Tenant)
		s.Clock.Advance(time.Hour - time.Millisecond)
		in.overview() // using it doesn't extend it
		s.Clock.Advance(time.Millisecond)
		in.send("GET", "/manage/overview", "").refused(t, 401, "access_denied", "dashboard_expired")
		in.send("POST", "/manage/logout", "").refused(t, 401, "access_denied", "dashboard_expired")
		in.send("POST", "/manage/clients", goodClient).refused(t, 401, "access_denied", "dashboard_expired")
		in.login()
		in.overview()
		if n := s.count(`SELECT count(*) FROM dashboard_sessions`); n != 1 {
			t.Errorf("%d sessions are kept", n)
		}
	})
}

// Rules: L148.
func TestManageLogout(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		in, stays := s.dashboard(s.Tenant), s.dashboard(s.Tenant)
		got := in.send("POST", "/manage/logout", "")
		if c := setCookie(got); got.status != http.StatusOK || strings.TrimSpace(string(got.body)) != `{"ok":true}` ||
			c == nil || c.Value != "" || c.MaxAge != -1 || c.Path != "/" || !c.HttpOnly {
			t.Errorf("%d %s %v", got.status, got.body, got.header)
		}
		in.send("GET", "/manage/overview", "").refused(t, 401, "access_denied", "dashboard_expired") // a copy of the cookie
		in.send("POST", "/manage/logout", "").refused(t, 401, "access_denied", "dashboard_expired")
		events := list(t, stays.overview(), "events")
		logouts := 0
		for _, e := range events {
			if e["type"] == "dashboard.logout" && e["actor"] == "tenant" && e["requestId"] == got.header.Get("X-Request-Id") {
				logouts++
			}
		}
		if logouts != 1 || len(events) != 3 {
			t.Errorf("events: %v", events)
		}
	})
}

// Rules: L151.
func TestManageLogin_Limits(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), withLimits)
	in := s.invited(s.Tenant)
	limited := func(got answer, retry string) {
		t.Helper()
		got.refused(t, 429, "access_denied", "rate_limited")
		if got.header.Get("Retry-After") != retry {
			t.Errorf("Retry-After %q, want %q", got.header.Get("Retry-After"), retry)
		}
	}
	for range 5 {
		in.login().must(t, http.StatusOK)
	}
	limited(in.login(), "12")
	s.Clock.Advance(time.Minute)
	guess := func(nth int) answer {
		return s.do(s.request("POST", "/manage/login", `{"tenantId":"`+s.Tenant.ID+`","key":"`+strings.Repeat("k", 32)+`"}`,
			"Origin", s.URL, "X-Forwarded-For", fmt.Sprint("192.0.2.", nth/5)))
	}
	for i := range 100 {
		guess(i).refused(t, 401, "access_denied", "invitation_invalid")
	}
	limited(guess(99), "12")
	in.login().want(t, http.StatusOK)
}

// Another host of the domain can set a cookie with the same name. If one value is valid, it is used, and if two
// are, none is.
// Rules: L149.
func TestManage_CookiesOfOneName(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		in, other := s.dashboard(s.Tenant), s.dashboard(s.NewTenant(t, "Other"))
		unknown := strings.Repeat("x", httpx.TokenLength)
		me := func(cookies ...string) answer {
			return s.do(s.request("GET", "/manage/overview", "", "Cookie", "svc_dashboard="+strings.Join(cookies, "; svc_dashboard=")))
		}
		for _, cookies := range [][]string{{in.cookie}, {"x", unknown, in.cookie}, {in.cookie, unknown}, {in.cookie, in.cookie}} {
			if got := me(cookies...); got.status != http.StatusOK || !strings.Contains(string(got.body), s.Tenant.ID) {
				t.Errorf("%d cookies: %d %s", len(cookies), got.status, got.body)
			}
		}
		me(unknown, in.cookie, other.cookie).refused(t, 401, "access_denied", "dashboard_expired")
		me(other.cookie, in.cookie).refused(t, 401, "access_denied", "dashboard_expired")
		out := s.do(s.request("POST", "/manage/logout", "", "Origin", s.URL, "Cookie", "svc_dashboard="+unknown+"; svc_dashboard="+in.cookie))
		if out.status != http.StatusOK {
			t.Errorf("logout: %d %s", out.status, out.body)
		}
		me(in.cookie).refused(t, 401, "access_denied", "dashboard_expired")
	})
}
