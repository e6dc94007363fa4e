package tenant_test

import (
	"errors"
	"net/netip"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/griot/auth/authtest"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

func TestTenant(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := authtest.New(t, d)
		s, owner := w.Tenants, w.Tenant
		got, found, err := s.Tenant(t.Context(), owner.ID)
		if err != nil || !found || got != owner {
			t.Errorf("%v %v %v, want %v", got, found, err, owner)
		}
		if _, found, err := s.Tenant(t.Context(), "none"); found || err != nil {
			t.Errorf("%v %v", found, err)
		}
	})
}

// The number of a tenant's clients is limited, also for concurrent creations.
// Rules: L157.
func TestCreateClient_TooMany(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := authtest.New(t, d)
		create := func() error {
			_, _, err := w.Tenants.CreateClient(t.Context(), w.Tenant.ID, tenant.Public, tenant.Test, []string{"https://app.example/cb"})
			return err
		}
		const workers = 4
		failed := make(chan int, workers)
		for range workers {
			go func() {
				n := 0
				for range tenant.MaxClients/workers + 1 {
					if err := create(); errors.Is(err, tenant.ErrTooManyClients) {
						n++
					} else if err != nil {
						t.Error(err)
					}
				}
				failed <- n
			}()
		}
		refused := 0
		for range workers {
			refused += <-failed
		}
		if refused < workers || create() == nil {
			t.Errorf("%d of %d were refused", refused, tenant.MaxClients+workers)
		}
		var n int
		if _, err := d.Read(t.Context()).Row(`SELECT count(*) FROM oauth_clients WHERE tenant_id = $1`, w.Tenant.ID).Scan(&n); err != nil || n != tenant.MaxClients {
			t.Errorf("the tenant has %d clients, %v, want %d", n, err, tenant.MaxClients)
		}
	})
}

func TestCreateClient(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := authtest.New(t, d)
		s, owner := w.Tenants, w.Tenant
		for _, mode := range []tenant.Mode{tenant.Test, tenant.Live} {
			for _, typ := range []tenant.Type{tenant.Public, tenant.Confidential} {
				made, secret, err := s.CreateClient(t.Context(), owner.ID, typ, mode, []string{"https://app.example/cb"})
				if err != nil {
					t.Fatal(err)
				}
				form := map[tenant.Mode]string{tenant.Test: "cl_test_", tenant.Live: "cl_live_"}[mode]
				if !regexp.MustCompile(`^` + form + `[0-9A-HJKMNP-TV-Z]{26}$`).MatchString(made.ClientID) {
					t.Errorf("client id %s", made.ClientID)
				}
				got, err := s.Client(t.Context(), made.ClientID)
				if err != nil || got == nil {
					t.Fatalf("client %s: got %v, %v", made.ClientID, got, err)
				}
				if diff := cmp.Diff(&made, got, cmp.AllowUnexported(tenant.Client{})); diff != "" {
					t.Errorf("(-made +stored):\n%s", diff)
				}
				confidential := typ == tenant.Confidential
				if (secret != "") != confidential || got.HasSecret(secret) != confidential || got.HasSecret(secret+"x") || got.HasSecret("") {
					t.Errorf("%s: secrets", typ)
				}
				if confidential && !regexp.MustCompile(`^cs_[A-Za-z0-9_-]{43}[A-Za-z0-9_-]{6}$`).MatchString(secret) {
					t.Errorf("a secret of %d characters", len(secret))
				}
			}
		}
		if c, err := s.Client(t.Context(), "cl_test_none"); c != nil || err != nil {
			t.Errorf("%v %v", c, err)
		}
	})
}

// Rules: L158.
func TestCreateClient_Refuses(t *testing.T) {
	w := authtest.New(t, dbtest.SQLite(t))
	s, owner := w.Tenants, w.Tenant
	good := []string{"https://app.example/cb"}
	for name, tt := range map[string]struct {
		typ  tenant.Type
		mode tenant.Mode
		uris []string
	}{
		"type":                         {"OTHER", tenant.Test, good},
		"mode":                         {tenant.Public, "OTHER", good},
		"no addresses":                 {tenant.Public, tenant.Test, nil},
		"21 addresses":                 {tenant.Public, tenant.Test, slices.Repeat(good, 21)},
		"http":                         {tenant.Public, tenant.Test, []string{"http://app.example/cb"}},
		"own scheme, with a secret":    {tenant.Confidential, tenant.Test, []string{"com.example.app:/cb"}},
		"the second is not an address": {tenant.Public, tenant.Test, append(slices.Clone(good), "x")},
	} {
		if _, _, err := s.CreateClient(t.Context(), owner.ID, tt.typ, tt.mode, tt.uris); !errors.Is(err, apierror.AuthMalformedParameter.Err()) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, err := s.CreateClient(t.Context(), "nobody", tenant.Public, tenant.Test, good); err == nil {
		t.Error("a client of no tenant")
	}
	if _, _, err := s.CreateClient(t.Context(), owner.ID, tenant.Public, tenant.Test, slices.Repeat(good, 20)); err != nil {
		t.Errorf("20 addresses: %v", err)
	}
}

func TestClient_IsReadAgainAfterThirtySeconds(t *testing.T) {
	d := dbtest.SQLite(t)
	w := authtest.New(t, d)
	s := w.Tenants
	made := w.NewClient(t, tenant.Public, tenant.Test)
	active := func() bool {
		t.Helper()
		got, err := s.Client(t.Context(), made.ClientID)
		if err != nil || got == nil {
			t.Fatalf("client %s: got %v, %v", made.ClientID, got, err)
		}
		return got.Active
	}
	if !active() {
		t.Fatal("a new client is not active")
	}
	w.Exec(t, `UPDATE oauth_clients SET active = 0`)
	w.Clock.Advance(30*time.Second - time.Millisecond)
	if !active() {
		t.Error("the client was read again before 30 seconds, want the cached one")
	}
	w.Clock.Advance(time.Millisecond)
	if active() {
		t.Error("the client is cached after 30 seconds, want it read again")
	}
}

// Rules: L155.
func TestRecord_IsRedacted(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := authtest.New(t, d)
		for ip, want := range map[string]string{"192.0.2.55": "192.0.2.0/24", "2001:db8:1:2::3": "2001:db8:1::/48", "": ""} {
			from, _ := netip.ParseAddr(ip) // a message from a gateway has no address
			e := &tenant.Event{
				ID: ip, TenantID: w.Tenant.ID, Type: tenant.LoginVerified, At: w.Clock.Now(), Actor: tenant.ActorUser, Mode: tenant.Test,
				Phone: "22300000001", ErrorCode: "x", Caller: tenant.Caller{IP: from},
			}
			w.Write(t, func(tx *db.Tx) error { return tenant.Record(tx, e) })
			var phone, address, result string
			if _, err := d.Read(t.Context()).Row(`SELECT phone, COALESCE(ip, ''), result FROM audit_events WHERE id = $1`, ip).Scan(&phone, &address, &result); err != nil {
				t.Fatal(err)
			}
			if phone != "+223*****001" || address != want || result != "denied" {
				t.Errorf("%s %s %s", phone, address, result)
			}
		}
	})
}
