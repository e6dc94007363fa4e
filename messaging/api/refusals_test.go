package api_test

import (
	"fmt"
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
)

// Missing items and those of other accounts have the same error. If a limit is reached, the request is refused and stores nothing.
// Rules: M7.
func TestDashboard_RefusalsHaveTheirNames(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newPeople(t, d)
		owner := p.signIn(ownerEmail)
		other, err := p.Directory.Create(t.Context(), &account.Spec{Name: "Other", Email: "other@example.com", Plan: "pro"})
		if err != nil {
			t.Fatal(err)
		}
		foreign, _, err := p.Directory.MakeKey(t.Context(), account.KeySpec{AccountID: other.ID, Kind: account.Live})
		if err != nil {
			t.Fatal(err)
		}
		project, err := p.Directory.CreateProject(t.Context(), other.ID, "theirs")
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{"prj_00000000000000000000000000", project.ID} {
			p.wants(p.do("POST", "/api/keys", `{"kind":"project","projectId":"`+id+`"}`, owner, p.origin()), 404, "project_not_found")
			p.wants(p.do("GET", "/api/svc-logs?projectId="+id, "", owner), 404, "project_not_found")
		}
		for _, id := range []string{"key_00000000000000000000000000", foreign.ID} {
			p.wants(p.do("DELETE", "/api/keys/"+id, "", owner, p.origin()), 404, "key_not_found")
		}
		for _, id := range []string{"acc_00000000000000000000000000", other.ID} {
			p.wants(p.do("PATCH", "/api/session", `{"accountId":"`+id+`"}`, owner, p.origin()), 404, "account_not_found")
		}
		for n := range account.MaxProjects {
			if _, err := p.Directory.CreateProject(t.Context(), p.Account.ID, fmt.Sprint(n)); err != nil {
				t.Fatal(err)
			}
		}
		p.wants(p.do("POST", "/api/projects", `{"name":"one more"}`, owner, p.origin()), 409, "too_many_items")
		if n := p.Int(t, `SELECT count(*) FROM projects WHERE account_id = $1`, p.Account.ID); n != account.MaxProjects {
			t.Errorf("%d projects", n)
		}
	})
}
