package operator_test

import (
	"html"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/messaging/optout"
	messagingverbs "example.com/griot/messaging/verbs"
	"example.com/griot/operator/operatortest"
)

// A test message goes to a real mail server by the gateway of the page, once for each form, and no account has it.
func TestGateways_SendATestMail(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := operatortest.NewSite(t, d)
		s.SignIn()
		mails := operatortest.NewMailServer(t)
		const at, form = "/operator/gateways/mail", "/operator/do/gateways.send-test?name=mail"
		s.Post("/operator/do/gateways.add?kind=smtp", "name", "mail", "settings.host", "127.0.0.1", "settings.port", mails.Port, "settings.tls", "none").Leads(t, at)
		page := s.Get(at)
		page.Shows(t, "Add a sender to send with it.")
		page.Hides(t, form)
		s.Refuses(form, "The gateway has no sender", "to", "awa@example.com", "text", "Bonjour")
		sender := operatortest.Ask[messagingverbs.Sender](s, "senders.add", messagingverbs.SenderInput{Account: s.Account.ID, Channel: "email", Address: "shop@example.com", Gateway: "mail"})
		s.Get(at).Shows(t, form, "Send a test message")
		shown := s.Get(form)
		shown.Shows(t, `<option value="`+sender.ID+`">Email shop@example.com`, "This is a test message from Griot.")
		s.Send(http.MethodGet, form, nil, "Accept-Language", "fr").Shows(t, "Envoyer un message de test", "Ceci est un message de test de Griot.")
		key := inputValue(shown.Body, "idempotencyKey")
		if len(key) < 20 || inputValue(s.Get(form).Body, "idempotencyKey") == key {
			t.Fatalf("the form has the key %q, want another one each time", key)
		}
		for _, wrong := range []string{"+22376000001", "awa@", "awa"} {
			refusesTest(t, s, form, "The recipient must be an email address", wrong, sender.ID)
		}
		filled := []string{"to", "awa@example.com", "sender", sender.ID, "text", "Bonjour Awa", "idempotencyKey", key}
		for range 2 { // a double click
			s.Post(form, filled...).Leads(t, at)
			sent := s.Get(at)
			sent.Shows(t, "The provider has accepted the message.", "msg_")
			sent.Hides(t, "awa@example.com")
		}
		if got := mails.Mails(); len(got) != 1 || !strings.Contains(got[0], "Bonjour Awa") || !strings.Contains(got[0], "Subject: Test message") || !strings.Contains(got[0], "shop@example.com") {
			t.Errorf("the server got %q, want one mail", got)
		}
		again := s.Post(form, "to", "eve@example.com", "sender", sender.ID, "text", "Bonjour Awa", "idempotencyKey", key)
		if next := inputValue(again.Body, "idempotencyKey"); again.Status != 400 || !strings.Contains(again.Body, "was already used for another test message") || next == "" || next == key {
			t.Errorf("the key of another message: %d, then %q: %s", again.Status, next, again.Body)
		}

		failed := []string{"to", "gone@example.com", "sender", sender.ID, "text", "Bonjour", "idempotencyKey", "a"}
		for range 2 {
			s.Post(form, failed...).Leads(t, at)
			s.Get(at).Shows(t, "The message failed.", "550 5.1.1")
		}
		s.Post(form, "to", "lost@example.com", "sender", sender.ID, "text", "Bonjour").Leads(t, at)
		s.Get(at).Shows(t, "The gateway hasn’t answered, so the message might still arrive.", "msg_")
		if n := len(mails.Mails()); n != 2 {
			t.Errorf("the server got %d mails, want 2", n)
		}

		events := s.Audited("gateway.test_sent")
		first := slices.IndexFunc(events, func(e messagingverbs.AuditEvent) bool { return e.Details["to"] == "a***@example.com" })
		if len(events) != 3 || first < 0 || events[first].Target != "mail" || events[first].Details["sender"] != sender.ID {
			t.Fatalf("audited %+v, want three messages, with the recipient masked", events)
		}
		if n := s.Int(t, `SELECT COUNT(*) FROM messages WHERE account_id = $1`, s.Account.ID); n != 0 {
			t.Errorf("the account has %d messages, want none", n)
		}
		found := s.Post("/operator/messages", "id", events[first].Details["message"])
		found.Shows(t, "Sent", "a***@example.com", "The platform")
		found.Hides(t, "/operator/accounts/platform")
	})
}

// A test message respects pauses, suspensions, and opt-outs, and takes no other sender.
func TestGateways_RefuseATestMessage(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := operatortest.NewSite(t, d)
		s.SignIn()
		const at, form = "/operator/gateways/fake", "/operator/do/gateways.send-test?name=fake"
		found := operatortest.Ask[messagingverbs.SenderPage](s, "senders.find", messagingverbs.SenderSearch{Text: messagingtest.SMS, Limit: 10}).Senders
		if len(found) != 1 {
			t.Fatalf("found %+v, want the SMS sender", found)
		}
		sender := messagingverbs.ByID{ID: found[0].ID}
		operatortest.Ask[messagingverbs.Sender](s, "senders.add", messagingverbs.SenderInput{Account: s.Account.ID, Channel: "sms", Address: "36000", Gateway: "fake"})
		refuses := func(why string, to string) {
			t.Helper()
			refusesTest(t, s, form, why, to, sender.ID)
		}
		sends := func(to, shows string) {
			t.Helper()
			s.Post(form, "to", to, "sender", sender.ID, "text", "Bonjour").Leads(t, at)
			s.Get(at).Shows(t, shows)
		}
		const number = "+22376000001"
		refuses("The recipient has no +", "76000001")
		refuses("The recipient has no +", "22376000001")
		refuses("ends with something that isn't part of it", "+22376000001.0")
		refusesTest(t, s, form, "The sender isn't one of this gateway", number, "snd_none")

		operatortest.Ask[messagingverbs.SendingState](s, "sending.pause", messagingverbs.Nothing{})
		refuses("Sending is paused on every node.", number)
		operatortest.Ask[messagingverbs.SendingState](s, "sending.resume", messagingverbs.Nothing{})
		operatortest.Ask[messagingverbs.FoundSender](s, "senders.pause", sender)
		refuses("The sender is paused.", number)
		operatortest.Ask[messagingverbs.FoundSender](s, "senders.resume", sender)
		s.Gateway.SetDetail(found[0].Address, gateway.ConnDetail{State: gateway.LoggedOut})
		refuses("The sender isn't connected: logged out.", number)
		s.Gateway.SetState(found[0].Address, gateway.Connected)
		operatortest.Ask[messagingverbs.Account](s, "accounts.suspend", map[string]any{"account": s.Account.ID, "reason": "Spam"})
		refuses("The account of this sender is suspended", number)
		operatortest.Ask[messagingverbs.Account](s, "accounts.resume", map[string]any{"account": s.Account.ID})
		s.Write(t, func(tx *db.Tx) error {
			_, err := optout.Add(tx, s.Account.ID, gateway.SMS, "22376000002", optout.Requested, s.Clock.Now())
			return err
		})
		s.Directory.ForgetAll()
		refuses("The recipient has opted out", "+22376000002")
		if n := len(s.Gateway.Calls()); n != 0 {
			t.Fatalf("%d calls, want none", n)
		}

		sends("+223 76 00 00 01", "The provider has accepted the message. Its ID there: p_msg_")
		calls := s.Gateway.Calls()
		if len(calls) != 1 || calls[0].To != "22376000001" || calls[0].From != found[0].Address || calls[0].Channel != gateway.SMS || calls[0].Text != "Bonjour" {
			t.Errorf("called with %+v, want one message of the sender", calls)
		}
		s.Gateway.FailWith(gateway.SenderDown, "credentials_refused")
		sends(number, "The message failed. It doesn’t accept the configured credentials. Set the current password or key. (credentials_refused (sender_down))")
		s.Gateway.FailWith(gateway.Temporary, "smtp_unavailable")
		sends(number, "The message failed. It can’t be reached, or doesn’t respond in time.")
		if n := len(s.Gateway.Calls()); n != 3 {
			t.Errorf("%d calls, want 3: a failed one isn't repeated", n)
		}
		s.Gateway.SetScript(nil)
		for range 27 {
			operatortest.Ask[messagingverbs.MessageTest](s, "gateways.send-test", messagingverbs.TestMessage{Name: "fake", To: number, Sender: sender.ID})
		}
		refuses("30 test messages were sent in the last hour", number)
		s.Clock.Advance(time.Hour + time.Minute)
		s.SignIn()
		sends(number, "The provider has accepted the message.")
		s.Get("/operator/do/gateways.send-test?name=none").Hides(t, "Send a test message")
	})
}

// refusesTest checks that the form of a test message is shown again with its recipient and the reason.
func refusesTest(t *testing.T, s *operatortest.Site, form, why, to, senderID string) {
	t.Helper()
	got := s.Post(form, "to", to, "sender", senderID, "text", "Bonjour")
	if body := html.UnescapeString(got.Body); got.Status != http.StatusBadRequest || !strings.Contains(body, why) || !strings.Contains(body, `value="`+to+`"`) {
		t.Errorf("%s: %d, want 400 with %q: %s", to, got.Status, why, body)
	}
}

// inputValue returns the value of a page's input.
func inputValue(body, name string) string {
	found := regexp.MustCompile(`name="` + name + `" value="([^"]*)"`).FindStringSubmatch(body)
	if found == nil {
		return ""
	}
	return html.UnescapeString(found[1])
}
