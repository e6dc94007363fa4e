package operator_test

import (
	"context"
	"fmt"
	"html"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/griot/auth/tenant"
	authverbs "example.com/griot/auth/verbs"
	"example.com/griot/internal/actor"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/id"
	"example.com/griot/messaging/audit"
	messagingverbs "example.com/griot/messaging/verbs"
	"example.com/griot/operator/operatortest"
)

// Events are sentences, with the numbers in them grouped, and other details in words.
func TestAudit_IsInSentences(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := operatortest.NewSite(t, d)
		s.SignIn()
		s.Write(t, func(tx *db.Tx) error {
			for _, e := range []*audit.Event{
				audit.New(t.Context(), s.Clock.Now(), s.Account.ID, audit.OptOutAdded, "22376000002", "channel", "sms"),
				audit.New(t.Context(), s.Clock.Now(), s.Account.ID, audit.RequestMade, "req_1", "kind", "sms", "wanted", "22370000001"),
				audit.New(t.Context(), s.Clock.Now(), s.Account.ID, audit.ErasureEnded, "erased-1", "messages", "22370000003"),
			} {
				if err := audit.Record(tx, e); err != nil {
					return err
				}
			}
			return nil
		})
		s.Get("/operator/audit").Shows(t, "<bdi>opted &#43;223\u00a076\u00a000\u00a000\u00a002 out.</bdi>", `<div class="more soft"><bdi>Channel: SMS</bdi></div>`, "<bdi>asked the operator for "+grouped+".</bdi>", "req_1</bdi>", "<bdi>finished erasing the person erased-1.</bdi>", "<bdi>Messages: 22370000003</bdi>", `<a href="/operator/accounts/`+s.Account.ID+`"><bdi>`+s.Account.Name+"</bdi></a>")
		s.Get("/operator/plans").Shows(t, "<bdi>5,000</bdi>")
	})
}

func TestAudit_OfBothServicesIsFilteredAndPaged(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := operatortest.NewSite(t, d)
		s.SignIn()
		s.Write(t, func(tx *db.Tx) error {
			for i := range 60 {
				s.Clock.Advance(1e6)
				ctx := actor.With(context.Background(), actor.Actor{Type: actor.Member, Email: "awa@example.com"})
				if err := audit.Record(tx, audit.New(ctx, s.Clock.Now(), s.Account.ID, audit.KeyRevoked, fmt.Sprintf("target-%02d", i), "kind", "<live>")); err != nil {
					return err
				}
			}
			return nil
		})
		first := s.Get("/operator/audit")
		first.Shows(t, "target-59", "target-10", "awa@example.com", "kind: &lt;live&gt;", `rel="next"`)
		first.Hides(t, "target-09")
		_, rest, _ := strings.Cut(first.Body, `rel="next" href="`)
		next, _, _ := strings.Cut(rest, `"`)
		s.Get(next).Shows(t, "target-09", "signed in.", ">First page<")
		own := s.Get("/operator/audit?account=" + s.Account.Email + "&action=key.")
		own.Shows(t, "target-59", `value="key."`)
		own.Hides(t, "signed in.")
		s.Get("/operator/audit?action=plan.").Shows(t, "No events on this page match.")
		for path, want := range map[string]string{"/operator/audit?account=none": "The account doesn&#39;t exist.", "/operator/audit?action=%3Cscript%3E": "The action must be", "/operator/audit?before=none": "The event doesn&#39;t exist."} {
			if got := s.Get(path); got.Status != http.StatusBadRequest || !strings.Contains(got.Body, want) {
				t.Errorf("%s: %d, want 400 with %q", path, got.Status, want)
			}
		}

		tenantID := s.Login.Tenant.ID
		for range 26 {
			s.Login.Clock.Advance(1e6)
			c := operatortest.Ask[authverbs.Client](s, "clients.create", authverbs.ClientInput{OfTenant: authverbs.OfTenant{TenantID: tenantID}, Type: "PUBLIC", Mode: "TEST", RedirectURIs: []string{"https://a.example/"}})
			s.Login.Clock.Advance(1e6)
			operatortest.Ask[authverbs.Client](s, "clients.deactivate", authverbs.ByClientID{ClientID: c.ClientID})
		}
		logins := "/operator/audit/logins?tenantId=" + tenantID
		page := s.Get(logins)
		page.Shows(t, "client.updated", "client.created", `rel="next"`)
		if got := s.Get(logins + "&type=" + tenant.ClientUpdated); strings.Count(got.Body, `<bdi>client.updated<`) != 26 || strings.Contains(got.Body, `<bdi>client.created<`) {
			t.Errorf("of one type: %s", got.Body)
		}
		s.Get("/operator/audit/logins").Shows(t, "No events of the deployment yet.")
		operatortest.Ask[authverbs.Key](s, "keys.rotate", authverbs.RotateInput{})
		s.Get("/operator/audit/logins").Shows(t, "key.published")
		s.Get(logins+"&loginId="+tenantID).Shows(t, "No events on this page match.")
		for path, want := range map[string]string{"/operator/audit/logins?tenantId=none": "The tenant doesn&#39;t exist.", logins + "&loginId=none": "The event doesn&#39;t exist.", logins + "&before=none": "The event doesn&#39;t exist."} {
			if got := s.Get(path); got.Status != http.StatusBadRequest || !strings.Contains(got.Body, want) {
				t.Errorf("%s: %d, want 400 with %q", path, got.Status, want)
			}
		}
	})
}

// A row that stands for several events has the position of the latest: the next page starts there.
func TestAudit_APageEndsWithACountedEvent(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := operatortest.NewSite(t, d)
		s.SignIn()
		clock := s.Login.Clock
		clock.Advance(clock.Now().Truncate(time.Minute).Add(time.Minute).Sub(clock.Now()))
		record := func(from, to int) {
			for i := from; i < to; i++ {
				clock.Advance(100 * time.Millisecond)
				e := &tenant.Event{ID: id.New(clock.Now()), TenantID: s.Login.Tenant.ID, Type: tenant.ClientUpdated, At: clock.Now(), Actor: tenant.ActorTenant, ClientID: fmt.Sprintf("cl_%02d", i)}
				s.Login.Write(t, func(tx *db.Tx) error { return tenant.Record(tx, e) })
			}
		}
		count := func() {
			clock.Advance(time.Second)
			s.Login.Tenants.Count(&tenant.Event{ID: id.New(clock.Now()), TenantID: s.Login.Tenant.ID, Type: tenant.LoginStarted, At: clock.Now(), Actor: tenant.ActorUser, ClientID: "cl_counted"})
			if err := s.Login.Tenants.StoreCounts(t.Context()); err != nil { // like another node within a second
				t.Fatal(err)
			}
		}
		count()
		record(0, 30)
		count()
		record(30, 79)
		first := s.Get("/operator/audit/logins?tenantId=" + s.Login.Tenant.ID)
		first.Shows(t, "cl_78", "cl_30", "cl_counted", "First at", `datetime="`+clock.Now().UTC().Truncate(time.Minute).Add(time.Second).Format(time.RFC3339)+`"`, `rel="next"`)
		first.Hides(t, "cl_29")
		_, rest, _ := strings.Cut(first.Body, `rel="next" href="`)
		next, _, _ := strings.Cut(rest, `"`)
		second := s.Get(html.UnescapeString(next))
		second.Shows(t, "cl_29", "cl_00")
		second.Hides(t, "cl_30", "cl_counted")
	})
}

// Each view of a message is in its account's audit log, and shows nothing of its content.
func TestLookup_ShowsNoContentAndIsAudited(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := operatortest.NewSite(t, d)
		s.SignIn()
		s.Get("/operator/messages").Shows(t, "Find a message")
		m := s.Waiting()
		s.Store(t, m)
		found := s.Post("/operator/messages", "id", " "+m.ID+" ")
		found.Shows(t, m.ID, "&#43;223*****001", `<a href="/operator/accounts/`+s.Account.ID+`"><bdi>`+s.Account.Name+"</bdi></a>", "not shown: 13 characters", ">Queued<")
		found.Hides(t, "a secret text", "22376000001")
		s.Clock.Advance(1e6)
		if absent := s.Post("/operator/messages", "id", "msg_none"); absent.Status != http.StatusNotFound || !strings.Contains(absent.Body, "The message doesn&#39;t exist.") {
			t.Errorf("no message: %d %s, want 404", absent.Status, absent.Body)
		}
		lines := operatortest.Ask[messagingverbs.AuditPage](s, "audit.list", messagingverbs.AuditInput{Account: s.Account.ID, Action: "message.viewed", Limit: 10}).Events
		if len(lines) != 1 || lines[0].Actor != "operator" || lines[0].Target != m.ID {
			t.Errorf("the account's log has %+v, want the look", lines)
		}
		if all := s.Audited("message.viewed"); len(all) != 2 || all[0].Details["found"] != "no" {
			t.Errorf("audited %+v, want both looks", all)
		}
	})
}
