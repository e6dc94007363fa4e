package tenant_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/griot/auth/authtest"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

// Rules: L212.
func TestParseDomain(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"people.example.com": "people.example.com", " People.Example.COM.\u200b": "people.example.com", "ｅxample.com": "example.com", "example。com": "example.com",
		"x.invalid": "x.invalid", "a.b": "a.b", "bücher.example": "xn--bcher-kva.example", "XN--BCHER-KVA.example": "xn--bcher-kva.example",
		"pаypal.com":  "xn--pypal-4ve.com", // with a Cyrillic letter: another domain, shown as such
		"a-b.example": "a-b.example", "1.example": "1.example", strings.Repeat("a.", 113) + "a": strings.Repeat("a.", 113) + "a",

		"": "", "example": "", "localhost": "", "com": "", "co.uk": "", "github.io": "", "foo.ck": "", "127.0.0.1": "", "::1": "", "[::1]": "", "1.2": "", "example.1": "",
		"a@b": "", "a@example.com": "", "@example.com": "", "*.example.com": "", "_griot.example.com": "", "-a.example": "", "a-.example": "", "a b.example": "", "a..example": "",
		"example.com/x": "", "https://example.com": "", "example.com:443": "", "exam\u200bple.com": "", "example.com\x00": "example.com", "a\"b.example": "", "xn--a.example": "", "xn--zzzzzz-.example": "",
		"☃.example": "", strings.Repeat("a.", 114) + "a": "", strings.Repeat("a", 64) + ".example": "",
	} {
		got, err := tenant.ParseDomain(typed)
		if got != want || (err == nil) != (want != "") || err != nil && !errors.Is(err, tenant.ErrDomain) {
			t.Errorf("%q: %q, %v; want %q", typed, got, err, want)
		}
	}
}

func FuzzParseDomain(f *testing.F) {
	for _, s := range []string{"people.example.com", "XN--BCHER-KVA.example", "pаypal.com", "a@b", "co.uk", "x.invalid."} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, typed string) {
		got, err := tenant.ParseDomain(typed)
		if err != nil {
			return
		}
		again, err := tenant.ParseDomain(got)
		if again != got || err != nil || len(got) > 227 || strings.ContainsFunc(got, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '.' && r != '-' }) {
			t.Errorf("%q: %q, read again %q, %v", typed, got, again, err)
		}
	})
}

// domains are two tenants with stores of two nodes, and a name server.
type domains struct {
	*authtest.World
	t     *testing.T
	dns   *authtest.DNS
	other tenant.Tenant
	node  *tenant.Store
}

func newDomains(t *testing.T, d *db.DB) *domains {
	w := authtest.New(t, d)
	s := &domains{World: w, t: t, dns: authtest.NewDNS(t), other: w.NewTenant(t, "Other"), node: tenant.New(d, w.Clock.Now)}
	s.Tenants.Resolver, s.node.Resolver = s.dns.Resolver(), s.dns.Resolver()
	return s
}

func (s *domains) add(of tenant.Tenant, name string) *tenant.Domain {
	s.t.Helper()
	d, _, err := s.Tenants.AddDomain(context.Background(), of.ID, name)
	if err != nil {
		s.t.Fatal(err)
	}
	return d
}

func (s *domains) verify(of tenant.Tenant, name string, want *apierror.Kind) {
	s.t.Helper()
	s.Clock.Advance(10 * time.Second)
	d, err := s.Tenants.VerifyDomain(context.Background(), of.ID, name)
	if want == nil && (err != nil || d.VerifiedAt.IsZero()) || want != nil && !errors.Is(err, want.Err()) {
		s.t.Errorf("%+v, %v; want %v", d, err, want)
	}
}

func (s *domains) events(of tenant.Tenant) string {
	s.t.Helper()
	found, err := s.Tenants.ListEvents(context.Background(), of.ID, 50)
	if err != nil {
		s.t.Fatal(err)
	}
	var types []string
	for _, e := range found {
		if strings.HasPrefix(e.Type, "domain.") {
			types = append([]string{e.Type}, types...)
		}
	}
	return strings.Join(types, " ")
}

// Rules: L212.
func TestDomains(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newDomains(t, d)
		ctx := context.Background()
		mine := s.add(s.Tenant, "people.example.com")
		if again, added, err := s.Tenants.AddDomain(ctx, s.Tenant.ID, "people.example.com"); err != nil || added || again.RecordValue() != mine.RecordValue() {
			t.Errorf("added again: %+v, %v, %v", again, added, err)
		}
		name := mine.RecordName()
		if name != "_griot.people.example.com" || len(mine.RecordValue()) != len("griot-domain=")+22 {
			t.Errorf("record %s %s", name, mine.RecordValue())
		}
		s.verify(s.Tenant, "people.example.com", apierror.AuthDomainRecordMissing)
		s.verify(s.other, "people.example.com", apierror.AuthDomainNotFound)
		s.dns.Set(name, []string{"v=spf1 -all"}, []string{mine.RecordValue() + "x"}, []string{strings.ToUpper(mine.RecordValue())})
		s.verify(s.Tenant, "people.example.com", apierror.AuthDomainRecordMissing)
		s.dns.Set("people.example.com", []string{mine.RecordValue()}) // the apex doesn't count
		s.verify(s.Tenant, "people.example.com", apierror.AuthDomainRecordMissing)
		s.dns.Break(true)
		s.verify(s.Tenant, "people.example.com", apierror.AuthDomainLookup)
		s.dns.Break(false)
		s.dns.Set(name, []string{"v=spf1 -all"}, []string{mine.RecordValue()[:20], mine.RecordValue()[20:]}) // one record of two strings
		s.verify(s.Tenant, "people.example.com", nil)
		s.verify(s.Tenant, "people.example.com", nil)

		theirs := s.add(s.other, "people.example.com")
		s.dns.Set(name, []string{mine.RecordValue()}, []string{theirs.RecordValue()})
		s.verify(s.other, "people.example.com", apierror.AuthDomainTaken)
		s.dns.Set(name)
		s.verify(s.other, "people.example.com", apierror.AuthDomainRecordMissing)
		s.verify(s.Tenant, "people.example.com", apierror.AuthDomainRecordMissing)
		if got, err := s.Tenants.Domains(ctx, s.Tenant.ID); err != nil || len(got) != 1 || got[0].VerifiedAt.IsZero() {
			t.Errorf("a proof ended with its record: %+v, %v", got, err)
		}
		s.dns.Set(name, []string{theirs.RecordValue()})
		s.verify(s.other, "people.example.com", nil)
		if got, err := s.Tenants.Domains(ctx, s.Tenant.ID); err != nil || len(got) != 1 || !got[0].VerifiedAt.IsZero() || got[0].LostAt.IsZero() {
			t.Errorf("the former owner has %+v, %v", got, err)
		}
		s.verify(s.Tenant, "people.example.com", apierror.AuthDomainRecordMissing)
		if got, want := s.events(s.Tenant), "domain.added domain.verified domain.lost"; got != want {
			t.Errorf("events %s, want %s", got, want)
		}
		if got, want := s.events(s.other), "domain.added domain.verified"; got != want {
			t.Errorf("events of the new owner %s, want %s", got, want)
		}
		for _, want := range []bool{true, false} {
			if removed, err := s.Tenants.RemoveDomain(ctx, s.other.ID, "people.example.com"); err != nil || removed != want {
				t.Errorf("removed %v, %v; want %v", removed, err, want)
			}
		}
		if again := s.add(s.other, "people.example.com"); again.RecordValue() == theirs.RecordValue() {
			t.Error("a removed domain has the same record when it is added again")
		}
		s.verify(s.other, "people.example.com", apierror.AuthDomainRecordMissing)
	})
}

// Rules: L212.
func TestDomains_AreBounded(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newDomains(t, d)
		for i := range tenant.MaxDomains {
			s.add(s.Tenant, fmt.Sprintf("d%d.example", i))
		}
		if _, _, err := s.Tenants.AddDomain(context.Background(), s.Tenant.ID, "more.example"); !errors.Is(err, apierror.AuthTooManyDomains.Err()) {
			t.Errorf("one more: %v", err)
		}
		s.add(s.Tenant, "d0.example")
		check := func() error {
			_, err := s.Tenants.VerifyDomain(context.Background(), s.Tenant.ID, "d1.example")
			return err
		}
		for range 10 {
			if err := check(); !errors.Is(err, apierror.AuthDomainRecordMissing.Err()) {
				t.Error(err)
			}
		}
		before := s.dns.Asked()
		if err := check(); !errors.Is(err, apierror.AuthRateLimited.Err()) {
			t.Errorf("the eleventh check in a minute: %v", err)
		}
		if s.dns.Asked() != before {
			t.Error("a refused check asked DNS")
		}
	})
}

// Of two tenants that publish a record at the same moment, one owns the domain.
// Rules: L212.
func TestDomains_HaveOneOwner(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newDomains(t, d)
		for i := range 5 {
			name := fmt.Sprintf("d%d.example", i)
			mine, theirs := s.add(s.Tenant, name), s.add(s.other, name)
			s.dns.Set(mine.RecordName(), []string{mine.RecordValue()}, []string{theirs.RecordValue()})
			var wg sync.WaitGroup
			var errs [2]error
			for n, of := range []struct {
				store  *tenant.Store
				tenant string
			}{{s.Tenants, s.Tenant.ID}, {s.node, s.other.ID}} {
				wg.Go(func() { _, errs[n] = of.store.VerifyDomain(context.Background(), of.tenant, name) })
			}
			wg.Wait()
			taken := 0
			for _, err := range errs {
				if errors.Is(err, apierror.AuthDomainTaken.Err()) {
					taken++
				} else if err != nil {
					t.Error(err)
				}
			}
			if n := s.Count(t, `SELECT count(*) FROM tenant_domains WHERE domain = $1 AND verified_at IS NOT NULL`, name); n != 1 || taken != 1 {
				t.Errorf("%s: %d owners, %d refused", name, n, taken)
			}
		}
	})
}
