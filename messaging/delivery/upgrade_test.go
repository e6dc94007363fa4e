package delivery_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/seal"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
)

// oldRow is a message as stored by the previous release.
type oldRow struct {
	id, status string
	to         string // "": a separate person
	set        map[string]any

	want  message.Status // if the gateway does not deduplicate
	asked int            // number of calls of a gateway in that case
	twice message.Status // if it deduplicates; "": the same
	again int
}

// oldRows returns messages in every status, at a time.
func oldRows(now time.Time, sealed func(id string) string) []oldRow {
	ago, soon, far := db.Ms(now.Add(-time.Minute)), db.Ms(now.Add(30*time.Second)), db.Ms(now.Add(365*24*time.Hour))
	m := func(s string) map[string]any { return map[string]any{"options": s} }
	with := func(base map[string]any, more ...any) map[string]any {
		for i := 0; i < len(more); i += 2 {
			base[more[i].(string)] = more[i+1]
		}
		return base
	}
	const auto = `{"fallback":1000,"key":"k"}`
	return []oldRow{
		{id: "queued1", status: "QUEUED", to: "22376110000", set: map[string]any{"due_at": ago - 2}, want: message.Sent, asked: 1},
		{id: "queued2", status: "QUEUED", to: "22376110000", set: map[string]any{"due_at": ago - 1}, want: message.Sent, asked: 1},
		{id: "queued3", status: "QUEUED", to: "22376110000", set: map[string]any{"due_at": ago}, want: message.Sent, asked: 1},
		{id: "retried", status: "QUEUED", set: with(m(`{"retry":{"max":3,"delay":1000}}`), "due_at", soon, "calls", 1, "tries", 1), want: message.Sent, asked: 1},
		{id: "late", status: "QUEUED", set: map[string]any{"due_at": ago, "expires_at": ago + 1}, want: message.Expired},
		{id: "scheduled", status: "SCHEDULED", set: map[string]any{"due_at": soon, "scheduled_at": soon}, want: message.Sent, asked: 1},
		{id: "nextyear", status: "SCHEDULED", set: map[string]any{"due_at": far, "scheduled_at": far, "expires_at": far + 1000}, want: message.Scheduled},
		{id: "group", status: "SCHEDULED", set: with(m(`{"group":"120363000000000001@g.us"}`), "order_key", "120363000000000001@g.us", "channel", "whatsapp", "due_at", far, "scheduled_at", far, "expires_at", far+1000), want: message.Scheduled},
		{id: "sending", status: "SENDING", set: map[string]any{"due_at": soon, "calls": 1, "version": 1}, want: message.Failed, twice: message.Sent, again: 1},
		{id: "unknown", status: "SENDING", set: map[string]any{"due_at": soon, "calls": 1, "version": 2, "unknown_at": ago}, want: message.Failed, twice: message.Sent, again: 1},
		{id: "sent", status: "SENT", set: map[string]any{"sent_at": ago}, want: message.Sent},
		{id: "fallback", status: "SENT", set: with(m(auto), "requested_channel", "auto", "channel", "whatsapp", "sender_id", "snd_w", "from_address", "22370000091", "sent_at", ago, "due_at", soon), want: message.Sent, asked: 1},
		{id: "failed", status: "FAILED", set: map[string]any{"failed_at": ago, "failure": `{"code":"x","class":"permanent"}`, "tried_routes": `[{"channel":"whatsapp","sender":"snd_w","from":"22370000091","gateway":"fake","to":"1","unknown":true}]`}, want: message.Failed},
		{id: "delivered", status: "DELIVERED", set: map[string]any{"sent_at": ago, "delivered_at": ago}, want: message.Delivered},
		{id: "read", status: "READ", set: map[string]any{"sent_at": ago, "delivered_at": ago, "read_at": ago}, want: message.Read},
		{id: "canceled", status: "CANCELED", set: map[string]any{"canceled_at": ago}, want: message.Canceled},
		{id: "expired", status: "EXPIRED", set: map[string]any{"failed_at": ago}, want: message.Expired},
		{id: "simulated", status: "SANDBOX", want: message.Sandbox},
		{id: "code", status: "QUEUED", to: "22376110000", set: map[string]any{"due_at": ago, "sensitive": 1, "content": sealed("code")}, want: message.Sent, asked: 1},
		{id: "codesent", status: "SENDING", set: map[string]any{"due_at": soon, "calls": 1, "version": 1, "sensitive": 1, "content": sealed("codesent")}, want: message.Failed, twice: message.Sent, again: 1},
	}
}

// The messages in a database of the previous release, in every status, are sent. Nothing is lost, and messages that
// were being submitted are sent again only if the gateway deduplicates.
func TestUpgrade_MessagesInEveryStatus(t *testing.T) {
	t.Parallel()
	for name, url := range map[string]func(t *testing.T) string{
		"sqlite":   func(t *testing.T) string { t.Helper(); return "sqlite:" + filepath.Join(dbtest.Folder(t), "griot.db") },
		"postgres": func(t *testing.T) string { t.Helper(); return dbtest.PostgresURL(t) },
	} {
		for _, deduplicates := range []bool{true, false} {
			t.Run(fmt.Sprint(name, " deduplicates=", deduplicates), func(t *testing.T) {
				t.Parallel()
				upgrade(t, url(t), deduplicates)
			})
		}
	}
}

func upgrade(t *testing.T, url string, deduplicates bool) {
	t.Helper()
	master, err := seal.ParseKey(seal.NewMasterKey())
	if err != nil {
		t.Fatal(err)
	}
	list := oldRows(messagingtest.Start, func(id string) string {
		b, err := json.Marshal(message.Content{Sealed: master.Box("message-content").Seal([]byte(`{"text":"1234"}`), "msg_"+id)})
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	})
	release(t, url, list)
	d, err := db.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	if _, err := d.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	w := messagingtest.New(t, d, "free")
	w.Gateway.Deduplicates.Store(deduplicates)
	e := w.NewDelivery(func(o *delivery.Options) { o.Key = master })
	stop := w.Restart(t, e)
	w.Becomes(t, "msg_code", message.Sent) // the sender has its worker
	for range 30 {                         // what is due later, retries, and the end of unknown outcomes
		w.Clock.Advance(5 * time.Second)
		w.Eventually(t, "nothing handed over or decided about", func() (any, bool) {
			n, err := delivery.Step(t.Context(), e)
			if err != nil {
				t.Fatal(err)
			}
			return n, n == 0
		})
	}
	for _, o := range list {
		want, asked := o.want, o.asked
		if deduplicates && o.twice != "" {
			want, asked = o.twice, o.again
		}
		m := w.Becomes(t, "msg_"+o.id, want)
		if want == message.Failed && o.status == "SENDING" && (m.Failure == nil || m.Failure.Code != "outcome_unknown") {
			t.Errorf("%s failed with %+v, want outcome_unknown", o.id, m.Failure)
		}
		if got := len(slices.DeleteFunc(w.Gateway.Calls(), func(out gateway.Outbound) bool {
			return !strings.HasPrefix(out.Ref, "msg_"+o.id+"-") && out.Ref != "msg_"+o.id
		})); got != asked {
			t.Errorf("%s: the gateway was asked %d times, want %d", o.id, got, asked)
		}
		if o.id == "fallback" && (m.Channel != gateway.SMS || m.RouteIndex != 2) {
			t.Errorf("%s went by %s on route %d, want sms on route 2", o.id, m.Channel, m.RouteIndex)
		}
	}
	var order []string
	for _, out := range w.Gateway.Calls() {
		if out.To == "22376110000" && !out.Sensitive {
			order = append(order, out.Ref)
		}
	}
	if got, want := strings.Join(order, " "), "msg_queued1 msg_queued2 msg_queued3"; got != want {
		t.Errorf("one person's were sent as %s, want %s", got, want)
	}
	stop()
	for query, want := range map[string]int{ // messages that reached no one are refunded
		`SELECT used FROM quotas WHERE account_id = 'acc_old'`:                                   len(list) - 1,
		`SELECT count(*) FROM messages WHERE handed_over IS NULL AND status IN ('SENT', 'READ')`: 0,
	} {
		if got := w.Int(t, query); got != want {
			t.Errorf("%s: got %d, want %d", query, got, want)
		}
	}
	sweepUpgraded(t, w)
}

// sweepUpgraded sweeps the data of the previous release. All ended messages are deleted, and only the hash of a stored key remains.
func sweepUpgraded(t *testing.T, w *messagingtest.World) {
	t.Helper()
	w.Write(t, func(tx *db.Tx) error { // real ids begin with their times; those of this test are words
		for _, text := range []string{`UPDATE messages SET id = 'msg_00' || substr(id, 5)`, `UPDATE idempotency_keys SET message_id = 'msg_00' || substr(message_id, 5)`} {
			if _, err := tx.Exec(text); err != nil {
				return err
			}
		}
		return nil
	})
	w.Clock.Advance(401 * day)
	sweepMessages(t, w)
	for query, want := range map[string]int{
		`SELECT count(*) FROM messages`:                                       2, // nextyear and group, which nobody has sent
		`SELECT count(*) FROM messages WHERE status = 'SCHEDULED'`:            2,
		`SELECT count(*) FROM idempotency_keys`:                               0,
		`SELECT count(*) FROM swept_keys WHERE message_id = 'msg_00fallback'`: 1,
	} {
		if got := w.Int(t, query); got != want {
			t.Errorf("swept: %s: got %d, want %d", query, got, want)
		}
	}
	holder, err := message.FindKeyHolder(w.DB.Read(t.Context()), message.NewSweptKeys(w.Master), "acc_old", "k")
	if err != nil || holder == nil || holder.Swept == nil || holder.Swept.Status != message.Sent {
		t.Errorf("the key of an upgraded message is held by %+v, %v; want its message, SENT", holder, err)
	}
}

// release creates a database of the previous release with an account and its messages.
func release(t *testing.T, url string, list []oldRow) {
	t.Helper()
	c := dbtest.Release(t, url)
	defer func() { _ = c.Close() }()
	do := func(text string, args ...any) {
		t.Helper()
		if _, err := c.ExecContext(t.Context(), text, args...); err != nil {
			t.Fatalf("%.200s: %v", text, err)
		}
	}
	now := db.Ms(messagingtest.Start)
	do(`INSERT INTO accounts (id, name, email, plan, created_at) VALUES ('acc_old', 'Old', 'old@example.com', 'free', $1)`, now)
	do(`INSERT INTO senders (id, account_id, channel, address, form, gateway, position, created_at) VALUES ('snd_w', 'acc_old', 'whatsapp', '22370000091', '22370000091', 'fake', 0, $1), ('snd_s', 'acc_old', 'sms', '22370000093', '22370000093', 'fake', 1, $1)`, now)
	do(`INSERT INTO quotas (account_id, day, used) VALUES ('acc_old', $1, $2)`, messagingtest.Start.Unix()/86400, len(list))
	do(`INSERT INTO idempotency_keys (account_id, key, message_id, fingerprint) VALUES ('acc_old', 'k', 'msg_fallback', 'f')`)
	for n, o := range list {
		row := map[string]any{
			"id": "msg_" + o.id, "notification_id": "ntf_" + o.id, "account_id": "acc_old", "requested_channel": "sms", "channel": "sms", "sender_id": "snd_s", "from_address": "22370000093",
			"gateway": "fake", "content": `{"text":"hello"}`, "sensitive": 0, "source": "api", "status": o.status, "rank": message.Status(o.status).Rank(), "version": 0,
			"timeline": fmt.Sprintf(`{"at":%d,"status":%q,"channel":"sms"}`, now, o.status), "charged_day": messagingtest.Start.Unix() / 86400, "created_at": now - 120_000, "expires_at": now + 86_400_000,
		}
		to := o.to
		if to == "" {
			to = fmt.Sprintf("2237612%04d", n)
		}
		row["recipient"], row["address"] = "+"+to, to
		row["order_key"], row["seq"] = to, n
		if o.set["sensitive"] == 1 {
			row["order_key"] = ""
		}
		if o.set["sent_at"] != nil || o.set["unknown_at"] != nil || o.set["tried_routes"] != nil {
			row["handed_over"] = 1
		}
		for name, value := range o.set {
			row[name] = value
		}
		var names, places []string
		var values []any
		for name, value := range row {
			values = append(values, value)
			names, places = append(names, name), append(places, fmt.Sprint("$", len(values)))
		}
		do(`INSERT INTO messages (`+strings.Join(names, ", ")+`) VALUES (`+strings.Join(places, ", ")+`)`, values...)
	}
}
