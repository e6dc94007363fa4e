package operator_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	messagingverbs "example.com/griot/messaging/verbs"
	"example.com/griot/operator/operatortest"
	"example.com/griot/web/webtest"
)

// A request has one form, which is filled in with the account's request and executes it.
// Rules: M190.
func TestRequests_AreCarriedOutByOneForm(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := operatortest.NewSite(t, d)
		s.SignIn()
		s.Get("/operator/requests").Shows(t, "No requests.")
		for _, r := range []account.Request{{Kind: "sms", Wanted: "36000", Note: "<b>For our shop</b>"}, {Kind: "webhook", Wanted: "http://127.0.0.1:9/a"}, {Kind: "email", Wanted: "awa@example.com"}, {Kind: "email", Wanted: "ben@example.com"}} {
			r.AccountID = s.Account.ID
			if stored, err := s.Directory.AddRequest(t.Context(), r); err != nil || !stored {
				t.Fatal(stored, err)
			}
		}
		open := operatortest.Ask[[]messagingverbs.Request](s, "requests.list", messagingverbs.Nothing{})
		slices.SortFunc(open, func(a, b messagingverbs.Request) int { // those of one millisecond have no order
			return strings.Compare(b.Channel+b.Address, a.Channel+a.Address)
		})
		open[0], open[1], open[2], open[3] = open[1], open[2], open[3], open[0] // email, email, webhook, sms
		at := func(i int) string { return "/operator/requests/" + open[i].ID }
		do := func(verb string, i int) string { return "/operator/do/" + verb + "?for=request&request=" + open[i].ID }
		s.Get("/operator/requests").Shows(t, "36000", "&lt;b&gt;For our shop&lt;/b&gt;", at(3), `<a href="/operator/accounts/`+s.Account.ID+`"><bdi>`+s.Account.Name+"<")
		s.Get(at(2)).Shows(t, "<h1><bdi>"+s.Account.Name+"<")
		s.Get(at(3)).Shows(t, "senders.add?for=request", "requests.done", "requests.decline")
		s.Get(at(3)).Hides(t, "webhooks.set")
		s.Get(do("senders.add", 3)).Shows(t, `value="36000"`, `value="`+s.Account.ID+`"`, `<option value="sms" selected>`)
		s.Post(do("senders.add", 3), "account", s.Account.ID, "channel", "sms", "address", "36000", "gateway", "fake").Leads(t, "/operator/requests")
		s.Get("/operator/requests").Shows(t, "The sender is ready.")
		if got := s.Get(at(3)); got.Status != http.StatusNotFound {
			t.Errorf("the page of a request that ended: %d, want 404", got.Status)
		}
		s.Get(do("webhooks.set", 2)).Shows(t, `value="http://127.0.0.1:9/a"`, "Replace the address for this account")
		s.Post(do("webhooks.set", 2), "account", s.Account.ID, "url", "http://127.0.0.1:9/a", "confirm", "yes").Leads(t, "/operator/requests")
		s.Get("/operator/requests").Shows(t, "This is shown only once.")
		s.Post(do("requests.done", 1), "reason", "").Leads(t, "/operator/requests")
		s.Post(do("requests.decline", 0), "reason", "Not ours").Leads(t, "/operator/requests")
		s.Get("/operator/requests").Shows(t, "The request is declined.")
		s.Refuses(do("senders.add", 3), "The account doesn&#39;t have this request, or the request isn&#39;t open.", "account", s.Account.ID, "channel", "sms", "address", "36001", "gateway", "fake")
		if left := operatortest.Ask[[]messagingverbs.Request](s, "requests.list", messagingverbs.Nothing{}); len(left) != 0 || len(s.Audited("request.done")) != 3 || len(s.Audited("request.declined")) != 1 {
			t.Errorf("%d requests are open, %d done, and %d declined; want 0, 3, and 1", len(left), len(s.Audited("request.done")), len(s.Audited("request.declined")))
		}
		s.Get("/operator/do/senders.add").Hides(t, `value="36000"`) // the form of any sender
	})
}

// A request's page shows whose the address is. Its form, which is filled in, needs a confirmation for the number that
// people sign in with, and for another account's.
// Rules: M190.
func TestRequests_ShowWhoseAnAddressIs(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := operatortest.NewSite(t, d)
		s.SignIn()
		other := operatortest.Ask[messagingverbs.Account](s, "accounts.create", messagingverbs.AccountInput{Name: "Kalabash", Email: "ben@example.com", Plan: "free"})
		theirs, err := s.Directory.AddSender(t.Context(), account.Sender{AccountID: other.ID, Channel: gateway.WhatsApp, Address: "22370000155", Gateway: "fake"}, false, func(*db.Tx, string) (bool, error) { return true, nil })
		if err != nil {
			t.Fatal(err)
		}
		request := map[string]string{}
		for _, wanted := range []string{operatortest.LoginNumber, "22370000155", "22370000166"} {
			if stored, err := s.Directory.AddRequest(t.Context(), account.Request{AccountID: s.Account.ID, Kind: "sms", Wanted: wanted}); err != nil || !stored {
				t.Fatal(stored, err)
			}
		}
		for _, r := range operatortest.Ask[[]messagingverbs.Request](s, "requests.list", messagingverbs.Nothing{}) {
			request[strings.TrimPrefix(r.Address, "+")] = r.ID
		}
		const signIn, used = "People sign in with it", "Already a sender"
		page := func(address string) webtest.Page { return s.Get("/operator/requests/" + request[address]) }
		page(operatortest.LoginNumber).Shows(t, signIn+"</th><td><bdi>Yes<")
		page("22370000155").Shows(t, used, "(Kalabash)", `href="/operator/senders/`+theirs.ID+`"`)
		page("22370000166").Shows(t, signIn+"</th><td><bdi>No<")
		page("22370000166").Hides(t, used)
		for address, box := range map[string]string{operatortest.LoginNumber: "loginNumber", "22370000155": "shared"} {
			form := "/operator/do/senders.add?for=request&request=" + request[address]
			filled := []string{"account", s.Account.ID, "channel", "sms", "address", address, "gateway", "fake"}
			s.Get(form).Shows(t, `name="`+box+`"`)
			s.Get(form).Hides(t, `name="`+box+`" value="yes" checked`)
			s.Refuses(form, map[string]string{"loginNumber": "People sign in by writing to this number", "shared": "Another account has this number"}[box], filled...)
			s.Post(form, append(filled, box, "yes")...).Leads(t, "/operator/requests")
		}
	})
}
