package api_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/api"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/messagingtest"
)

type grouping struct {
	*messagingtest.Gateway
	fails error
}

func (g *grouping) Groups(context.Context, string) ([]gateway.Group, error) {
	return []gateway.Group{{ID: "120363000000000001@g.us", Name: "Livraisons", Participants: 4, IsAdmin: true}}, g.fails
}

const groupsPath = "/api/partner/whatsapp/groups"

// Rules: M113, M114.
func TestGroups(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		g := &grouping{Gateway: w.Gateway}
		s := serve(t, w, func(o *api.Options) {
			o.Delivery = w.NewDelivery(func(o *delivery.Options) { o.Gateways = gateway.NewSet(map[string]gateway.Sender{"fake": g}) })
		})
		live := "X-API-Key: " + s.LiveKey
		a := s.do("GET", groupsPath, "", live)
		if want := `{"success":true,"groups":[{"id":"120363000000000001@g.us","name":"Livraisons","participants":4,"isAdmin":true}],"count":1}`; a.status != 200 || strings.TrimSpace(a.raw) != want {
			t.Errorf("%d %s", a.status, a.raw)
		}
		g.fails = errors.New("x@g.us is broken")
		s.wants(s.do("GET", groupsPath, "", live), 502, "provider_error")
		test := "X-API-Key: " + s.Key(t, s.Account.ID, "", account.Test)
		w.Gateway.LoggedOut.Store(true)
		s.wants(s.do("GET", groupsPath, "", live), 409, "gateway_not_connected")
		for _, a := range []*answer{s.do("GET", groupsPath, "", test), s.do("GET", groupsPath, "", live, "X-Svc-Sandbox: 1")} {
			if a.status != 200 || a.body["count"] != 1.0 {
				t.Errorf("simulated: %d %s", a.status, a.raw)
			}
		}
		s.wants(s.do("GET", groupsPath, ""), 401, "unauthorized")
		s.wants(s.do("GET", groupsPath, "", "X-API-Key: "+s.projectKey()), 403, "forbidden")
		s.wants(s.do("POST", groupsPath, "", live), 405, "method_not_allowed")
	})
}

// projectKey creates a project of another account, and a key for it.
func (s *service) projectKey() string {
	s.t.Helper()
	made, err := s.Directory.Create(s.t.Context(), &account.Spec{Name: "P", Email: "p@example.com", Plan: "business", Projects: []string{"A"}})
	if err != nil {
		s.t.Fatal(err)
	}
	projects, err := account.Projects(s.DB.Read(s.t.Context()), made.ID)
	if err != nil {
		s.t.Fatal(err)
	}
	return s.Key(s.t, made.ID, projects[0].ID, account.ProjectKey)
}
