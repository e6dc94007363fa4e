package dashboard

import (
	"net/http"
	"testing"

	"example.com/griot/internal/httpx"
	"example.com/griot/internal/seal"
	"example.com/griot/messaging/access"
	"example.com/griot/messaging/webhooks"
)

// A person who sees an item of the navigation can open its page, and the reverse.
func TestNavigation_AsksThePermitsOfItsPages(t *testing.T) {
	t.Parallel()
	d, err := New(Options{HTTP: &httpx.API{}, Sessions: access.New(access.Options{}), URL: "http://127.0.0.1", Key: new(seal.Key), Endpoints: &webhooks.Endpoints{}})
	if err != nil {
		t.Fatal(err)
	}
	access := map[string]string{}
	for _, r := range d.Routes() {
		if r.Method == http.MethodGet {
			access[r.Path] = r.Access.String()
		}
	}
	for _, group := range navGroups() {
		for _, item := range group.items {
			if got := item.permit.ForPeople().String(); got != access[item.path] {
				t.Errorf("%s: the item is for %q, the page for %q", item.path, got, access[item.path])
			}
		}
	}
}
