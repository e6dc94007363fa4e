package erasure_test

import (
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/waittest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/audit"
	"example.com/griot/messaging/erasure"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/messaging/otp"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// secret is in all messages to and from a person, and nowhere else.
const secret = "Zanzibar"

type world struct {
	*messagingtest.World
}

func newWorld(t *testing.T, d *db.DB) *world {
	t.Helper()
	w := &world{World: messagingtest.New(t, d, "pro", func(s *account.Spec) { s.RecipientCap = 1000 })}
	w.SetWebhook(t, "https://example.com/webhook")
	w.Gateway.ByProviderID.Store(true)
	w.Gateway.MediaByLink.Store(true)
	w.Run(t, w.Delivery)
	return w
}

func sms(to, text string) *message.Request {
	return &message.Request{To: to, Channel: gateway.SMS, Content: message.Content{Text: text}}
}

// history creates an account's data about a person: messages of every kind, one of which is scheduled.
func (w *world) history(t *testing.T, number, email string) (scheduled string) {
	t.Helper()
	text := secret + " " + number
	rich := sms("+"+number, text)
	rich.Metadata, rich.IdempotencyKey = message.Metadata{"customer": secret}, "order-"+number[len(number)-4:]
	w.Submit(t, rich)
	w.receive(t, gateway.WhatsApp, number, "Bonjour "+secret)
	revision := gateway.Change{Gateway: "fake", Channel: gateway.WhatsApp, Kind: gateway.MessageEdited, To: messagingtest.WhatsApp, From: number, MessageID: inboundID(gateway.WhatsApp, number, "Bonjour "+secret), Content: &gateway.Inbound{Text: text}, At: w.Clock.Now()}
	if err := w.Inbox.Change(t.Context(), revision); err != nil {
		t.Fatal(err)
	}
	w.Submit(t, &message.Request{To: number, Channel: gateway.WhatsApp, Content: message.Content{Text: text}})
	w.Submit(t, &message.Request{To: number, Channel: gateway.WhatsApp, MediaURL: "https://example.com/" + secret + ".png"})
	w.Submit(t, &message.Request{To: number, Channel: message.Auto, Email: email, Content: message.Content{Text: text, Subject: secret}, FallbackAfter: time.Hour})
	w.Submit(t, &message.Request{To: email, Channel: gateway.Email, Content: message.Content{Text: secret, HTML: "<p>" + secret + "</p>", Subject: secret}})
	w.Submit(t, &message.Request{To: number, Channel: gateway.WhatsApp, GroupID: "120363000000000001@g.us", Content: message.Content{Text: text}})
	simulated := sms(number, text)
	simulated.Sandbox = true
	w.Submit(t, simulated)
	later := sms(number, text)
	later.ScheduledAt = w.Clock.Now().Add(time.Hour)
	scheduled = w.Submit(t, later).Message.ID
	request := otp.NewRequest()
	request.To, request.Channel = "+"+number, gateway.SMS
	if _, err := w.OTP.Issue(t.Context(), w.LiveCaller, request); err != nil {
		t.Fatal(err)
	}
	w.receive(t, gateway.SMS, number, "STOP")
	w.Write(t, func(tx *db.Tx) error {
		return audit.Record(tx, audit.New(t.Context(), w.Clock.Now(), w.Account.ID, audit.OptOutAdded, number))
	})
	w.Write(t, func(tx *db.Tx) error {
		if _, err := tx.Exec(`UPDATE webhook_events SET first_at = 0, first_latency = 0, first_answer = CAST($1 AS TEXT) WHERE body LIKE '%' || $2 || '%'`, secret, number); err != nil {
			return err
		}
		_, err := tx.Exec(`INSERT INTO webhook_attempts (account_id, event_id, version, at, latency, answer) SELECT account_id, id, 2, 0, 0, CAST($1 AS TEXT) FROM webhook_events WHERE body LIKE '%' || $2 || '%'`, secret, number)
		return err
	})
	return scheduled
}

// inboundID returns the gateway's ID of a message that receive simulates.
func inboundID(channel gateway.Channel, from, text string) string {
	return fmt.Sprint(from[len(from)-4:], channel, text)
}

// receive simulates a message from a person to the account.
func (w *world) receive(t *testing.T, channel gateway.Channel, from, text string) {
	t.Helper()
	to := map[gateway.Channel]string{gateway.WhatsApp: messagingtest.WhatsApp, gateway.SMS: messagingtest.SMS}[channel]
	in := gateway.Inbound{ID: inboundID(channel, from, text), Gateway: "fake", Channel: channel, From: from, To: to, DisplayName: secret, Text: text, MediaURL: "https://example.com/" + secret, FileName: secret, At: w.Clock.Now()}
	if err := w.Inbox.Receive(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	w.refresh(t)
}

func (w *world) refresh(t *testing.T) {
	t.Helper()
	w.Directory.ForgetAll()
	var err error
	if w.LiveCaller, err = w.Directory.Authenticate(t.Context(), w.LiveKey); err != nil {
		t.Fatal(err)
	}
}

// erase erases a person and requires that this finishes immediately.
func (w *world) erase(t *testing.T, address string) *erasure.Erasure {
	t.Helper()
	p, err := w.Erasure.Person(t.Context(), w.Account.ID, address)
	if err != nil {
		t.Fatal(err)
	}
	e, err := w.Erasure.Erase(t.Context(), p)
	if err != nil || !e.Done() {
		t.Fatalf("%+v, %v; want it done", e, err)
	}
	w.refresh(t)
	return e
}

// places lists the columns that contain a text, with the number of occurrences.
func (w *world) places(t *testing.T, text string) (found []string) {
	t.Helper()
	list := `SELECT m.name || ' ' || c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND c.type = 'TEXT' ORDER BY 1`
	if w.DB.Engine() == db.Postgres {
		list = `SELECT table_name || ' ' || column_name FROM information_schema.columns WHERE table_schema = 'public' AND data_type = 'text' ORDER BY 1`
	}
	var columns []string
	err := w.DB.Read(t.Context()).Each(func(rows *sql.Rows) error {
		var c string
		err := rows.Scan(&c)
		columns = append(columns, c)
		return err
	}, list)
	if err != nil {
		t.Fatal(err)
	}
	if len(columns) < 50 {
		t.Fatalf("%d columns, want those of all tables", len(columns))
	}
	for _, c := range columns {
		table, column, _ := strings.Cut(c, " ")
		if n := w.Int(t, `SELECT count(*) FROM `+table+` WHERE `+column+` LIKE '%' || $1 || '%'`, text); n > 0 {
			found = append(found, fmt.Sprint(c, ": ", n))
		}
	}
	return found
}

// runPeople makes a service continue started erasures, until stop or the end of the test.
func runPeople(t *testing.T, s *erasure.Service) (stop func()) {
	t.Helper()
	return waittest.Run(t, s.Run)
}

// refused reports whether the account cannot send to a number because its person has opted out.
func (w *world) refused(t *testing.T, r *message.Request) bool {
	t.Helper()
	_, err := w.Delivery.Submit(t.Context(), w.LiveCaller, r)
	if err != nil && !errors.Is(err, apierror.RecipientOptedOut.Err()) {
		t.Fatalf("got %v, want no error or %v", err, apierror.RecipientOptedOut.Err())
	}
	return err != nil
}
