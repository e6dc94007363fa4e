package operator_test

import (
	"html"
	"regexp"
	"strings"
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	messagingverbs "example.com/griot/messaging/verbs"
	"example.com/griot/operator/operatortest"
)

// grouped is the number of the account's sender in the format of pages, in HTML.
const grouped = "&#43;223\u00a070\u00a000\u00a000\u00a001"

var (
	tableRow  = regexp.MustCompile(`(?s)<tr>.*?</tr>`)
	tableCell = regexp.MustCompile(`(?s)<t[dh][^>]*>(.*?)</t[dh]>`)
	anyTag    = regexp.MustCompile(`<[^>]*>`)
)

// A row of a list or of a record that names an object with a page links to it, except on the object's own page.
func TestLists_LeadToThePagesOfWhatTheyName(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := operatortest.NewSite(t, d)
		pages := s.Lived()
		page := map[string]string{"fake": "/operator/gateways/fake", "free": "/operator/plans/free", "starter": "/operator/plans/starter", s.Login.Tenant.ID: "/operator/tenants/" + s.Login.Tenant.ID}
		for _, found := range operatortest.Ask[messagingverbs.SenderPage](s, "senders.find", messagingverbs.SenderSearch{Limit: 100}).Senders {
			page[found.ID] = "/operator/senders/" + found.ID
			if found.AccountID != "" {
				page[found.AccountID] = "/operator/accounts/" + found.AccountID
			}
		}
		m := s.Waiting()
		s.Store(t, m)
		bodies := map[string]string{"lookup-found": s.Post("/operator/messages", "id", m.ID).Body}
		for name, path := range pages {
			bodies[name] = s.Get(path).Body
		}
		seen := map[string]bool{}
		for name, body := range bodies {
			for _, row := range tableRow.FindAllString(body, -1) {
				for _, cell := range tableCell.FindAllStringSubmatch(row, -1) {
					text := strings.TrimSpace(html.UnescapeString(anyTag.ReplaceAllString(cell[1], "")))
					at := page[text]
					if at == "" || pages[name] == at {
						continue
					}
					seen[at[:strings.LastIndexByte(at, '/')]] = true
					if !strings.Contains(row, `href="`+at+`"`) {
						t.Errorf("%s: nothing leads to %q: %s", name, text, row)
					}
				}
			}
		}
		for _, kind := range []string{"accounts", "gateways", "plans"} {
			if !seen["/operator/"+kind] {
				t.Errorf("no page names one of the %s", kind)
			}
		}
		sender := `href="/operator/senders/` + m.SenderID + `"`
		s.Get("/operator/gateways/fake").Shows(t, sender+"><bdi>WhatsApp "+grouped+" (Connected)<")
		if strings.Count(bodies["lookup-found"], sender+">"+grouped+"<") != 2 {
			t.Errorf("the message and its step don't lead to the sender: %s", bodies["lookup-found"])
		}
	})
}

// An event of the audit log links to the page of its target, unless the target was deleted.
func TestAudit_LeadsToTargets(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := operatortest.NewSite(t, d)
		s.SignIn()
		kept := operatortest.Ask[messagingverbs.Sender](s, "senders.add", messagingverbs.SenderInput{Channel: "sms", Address: "36000", Gateway: "fake"})
		operatortest.Ask[messagingverbs.FoundSender](s, "senders.pause", messagingverbs.ByID{ID: kept.ID})
		s.Get("/operator/audit?action=sender.paused").Shows(t, `<a href="/operator/senders/`+kept.ID+`">`)
		s.Post("/operator/do/senders.remove?id="+kept.ID).Leads(t, "/operator/senders")
		gone := s.Get("/operator/audit?action=sender.removed")
		gone.Shows(t, "removed the sender 36000.")
		gone.Hides(t, "/operator/senders/"+kept.ID)
		s.Get("/operator/audit?action=session.").Hides(t, "/operator/sessions")
	})
}

// The senders of a node link to their pages, except those that were removed.
func TestHealth_LeadsToSenders(t *testing.T) {
	t.Parallel()
	s := operatortest.NewSite(t, dbtest.Postgres(t))
	s.SignIn()
	kept := s.Waiting().SenderID
	s.Write(t, func(tx *db.Tx) error {
		if _, err := tx.Exec(`INSERT INTO nodes (id, epoch, until) VALUES ('node', 1, 9999999999999)`); err != nil {
			return err
		}
		_, err := tx.Exec(`INSERT INTO sender_owners (sender_id, node_id, node_epoch) VALUES ($1, 'node', 1), ('snd_gone', 'node', 1)`, kept)
		return err
	})
	page := s.Get("/operator")
	page.Shows(t, `<a href="/operator/senders/`+kept+`">WhatsApp `+grouped+`</a>`, "snd_gone")
	page.Hides(t, "/operator/senders/snd_gone")
}
