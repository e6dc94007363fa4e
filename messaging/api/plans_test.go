package api_test

import (
	"fmt"
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/messagingtest"
)

// growInbox stores conversations of an account with n contacts, and n messages of the first.
func growInbox(t testing.TB, w *messagingtest.World, accountID string, from, n int) {
	t.Helper()
	w.Write(t, func(tx *db.Tx) error {
		if _, err := tx.Exec(`INSERT INTO conversations (id, account_id, person, phone, sender_id, name, last_at, last_preview, unread, read_to)
 `+numbers+`SELECT 'cnv_' || `+id26+`, CAST($2 AS TEXT), '223' || CAST(10000000 + i AS TEXT), '223' || CAST(10000000 + i AS TEXT), 'snd_x', 'Awa', CAST($3 AS BIGINT) + i, 'Bonjour', 0, 0 FROM (SELECT i + CAST($4 AS BIGINT) AS i FROM n) AS grown`,
			n, accountID, db.Ms(messagingtest.Start), from); err != nil {
			return err
		}
		_, err := tx.Exec(`INSERT INTO inbox_messages (id, account_id, conversation_id, direction, channel, type, content, from_address, sender_id, provider_id, revision, at)
 `+numbers+`SELECT 'msg_' || `+id26+`, CAST($2 AS TEXT), 'cnv_0000000000000000000000000' || CAST(1 + i % 2 AS TEXT), 'in', 'whatsapp', 'text', 'Bonjour', '22310000001', 'snd_x', CAST(i AS TEXT), i, CAST($3 AS BIGINT) + i
 FROM (SELECT i + CAST($4 AS BIGINT) AS i FROM n) AS grown`, n, accountID, db.Ms(messagingtest.Start), from)
		return err
	})
}

// growEvents stores n webhook events of an account. Every every-th one could not be delivered.
func growEvents(t testing.TB, w *messagingtest.World, accountID string, n, every int) {
	t.Helper()
	w.Exec(t, `INSERT INTO webhook_events (account_id, id, type, body, claimed, version, tries, created_at, delivered_at, failed_at, heard_at)
 `+numbers+`SELECT CAST($2 AS TEXT), 'evt_' || `+id26+`, 'message.status', '{}', 0, 0, 0, CAST($3 AS BIGINT) + i, CASE WHEN i % CAST($4 AS BIGINT) > 0 THEN 1 END, CASE WHEN i % CAST($4 AS BIGINT) = 0 THEN 1 END, CAST($3 AS BIGINT) + i
 FROM n`, n, accountID, db.Ms(messagingtest.Start), every)
}

// growAudit stores n audit events of an account.
func growAudit(t testing.TB, w *messagingtest.World, accountID string, n int) {
	t.Helper()
	w.Exec(t, `INSERT INTO account_audit_events (id, account_id, at, actor, action, target) `+numbers+`SELECT `+id26+`, CAST($2 AS TEXT), i, 'owner', 'key.created', 'k' FROM n`, n, accountID)
}

// No list reads a large table completely, or sorts rows of one, even if its plan is made before its arguments are known.
func TestPlans_OfEveryList(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newPeople(t, d)
		const n = 4000
		for i, account := range []string{s.Account.ID, "acc_another", "acc_a_third"} {
			grow(t, s.World, account, i*n, n, 100)
			growInbox(t, s.World, account, i*n, n)
			growEvents(t, s.World, account, n, 100)
		}
		s.Exec(t, numbers+`INSERT INTO message_counts (account_id, step, at, project_id, channel, simulated, kind, n)
 SELECT CAST($2 AS TEXT), 1, i, '', 'sms', 0, 'total', 1 FROM n UNION ALL SELECT CAST($2 AS TEXT), 24, i * 24, '', 'sms', 0, 'total', 1 FROM n`, n, s.Account.ID)
		session := s.signIn(ownerEmail)
		plans := dbtest.RecordPlans(d)
		get := func(path string, headers ...string) {
			t.Helper()
			if a := s.do("GET", path, "", headers...); a.status != 200 {
				t.Fatalf("%s: %d %s", path, a.status, a.raw)
			}
		}
		key := "X-API-Key: " + s.LiveKey
		filters := []string{"status=SANDBOX", "channel=sms", "to=22376000002", "since=2026-03-01T00:00:00Z", "metadata[order]=42"}
		_, next := s.page(s.LiveKey, "limit=10")
		for set := range 1 << len(filters) {
			query := ""
			for i, f := range filters {
				if set&(1<<i) != 0 {
					query += "&" + f
				}
			}
			get("/api/svc-logs?limit=50"+query, key)
		}
		for _, limit := range []int{1, 50, 200} {
			get(fmt.Sprintf("/api/svc-logs?limit=%d&cursor=%s", limit, next), key)
			get(fmt.Sprintf("/api/svc-logs?limit=%d&cursor=%s&status=FAILED", limit, next), key)
			get(fmt.Sprintf("/api/svc-logs?limit=%d&to=22376000002&status=FAILED", limit), key)
		}
		for _, limit := range []int{1, 50, 100} {
			get(fmt.Sprintf("/api/inbox/conversations?limit=%d", limit), key)
			get(fmt.Sprintf("/api/inbox/conversations?q=nobody&limit=%d", limit), key)
			get(fmt.Sprintf("/api/inbox/conversations/cnv_00000000000000000000000001/messages?limit=%d", limit), key)
		}
		for _, delivery := range []string{"", "&delivery=pending", "&delivery=delivered", "&delivery=failed", "&delivery=not_sent"} {
			get("/api/webhooks/events?limit=50"+delivery, key)
			get("/api/webhooks/events?limit=200"+delivery, key)
		}
		get("/api/webhooks/events/evt_00000000000000000000000100", key)
		get("/api/svc-analytics?sample=50", key)
		get("/api/svc-analytics?sample=500", key)
		get("/api/opt-outs?limit=50", key)
		get("/api/opt-outs?limit=200&channel=sms&address=22376000001&cursor=c21zOjIyMzc2MDAwMDAx", key)
		get("/api/stats?step=day", key)
		get("/api/stats?step=hour&channel=sms", key)
		get("/api/otp/stats", key)
		for _, query := range []string{"q=order", "source=api&senderId=snd_x", "until=2026-03-04T12:00:10Z&q=x&since=2026-03-01"} {
			get("/api/svc-logs?limit=50&"+query, key)
		}
		growAudit(t, s.World, s.Account.ID, n)
		for _, query := range []string{"", "&action=key.created", "&action=key.", "&since=2026-01-01", "&action=key.&since=2026-01-01"} {
			get("/api/audit?limit=50"+query, session)
			get("/api/audit?limit=200&cursor=00000000000000000000000100"+query, session)
		}
		for _, path := range []string{"/api/me", "/api/senders", "/api/projects", "/api/keys", "/api/members", "/api/webhooks", "/api/billing"} {
			get(path, session)
		}
		stream, err := s.Endpoints.Stream(t.Context(), s.Account.ID, "evt_00000000000000000000000100", false)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := stream.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
		if texts := plans.Check(t); len(texts) < 40 {
			t.Errorf("only %d texts were judged", len(texts))
		}
	})
}
