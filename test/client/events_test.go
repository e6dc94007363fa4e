package client_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"testing"
	"time"

	"example.com/griot/auth/tenant"
	authwebhooks "example.com/griot/auth/webhooks"
	"example.com/griot/client/login"
	"example.com/griot/client/webhook"
	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/id"
	"example.com/griot/internal/safedial"
	signing "example.com/griot/internal/webhook"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/webhooks"
	"example.com/griot/test/servicetest"
)

// What the service posts is what the client verifies, and each member of it is in the client's types.
func TestWebhookEvents_AreTheServices(t *testing.T) {
	m := &message.Message{ID: "msg_1", NotificationID: "ntf_1", Channel: gateway.SMS, To: "+22376000001", SenderID: "snd_1", Metadata: message.Metadata{"order": "42"}, RouteIndex: 1}
	failure := &message.Failure{Code: "recipient_unreachable", ProviderCode: "EC_1"}
	said := gateway.Inbound{ID: "in_1", Channel: gateway.WhatsApp, From: awa, To: "22370000001", Text: "Oui", DisplayName: "Awa", Choice: gateway.Choice{ID: "yes", Title: "Oui"}, Response: `{"size":42}`, At: march}
	ofAwa := gateway.PersonID{ID: "ML.9001", Username: "awa.t"}
	for want, e := range map[string]*webhooks.Event{
		webhook.TypeMessageStatus:   webhooks.StatusChanged(m, message.Sending, message.Failed, march, "p_1", failure),
		webhook.TypeMessageReceived: webhooks.Received("acc", "msg_2", "msg_1", said, march),
		webhook.TypeMessageEdited:   webhooks.Revised("acc", "msg_2", awa, "text", &gateway.Change{Kind: gateway.MessageEdited, Channel: gateway.WhatsApp, To: "22370000001", Person: ofAwa, Content: &gateway.Inbound{Text: "Non"}, At: march}, march),
		webhook.TypeMessageDeleted:  webhooks.Revised("acc", "msg_2", awa, "text", &gateway.Change{Kind: gateway.MessageDeleted, Channel: gateway.WhatsApp, To: "22370000001", Person: ofAwa, At: march}, march),
		webhook.TypeNumberChanged:   webhooks.Moved("acc", &gateway.Change{Kind: gateway.NumberChanged, Channel: gateway.WhatsApp, To: "22370000001", From: awa, OldNumber: "22376000009", OldID: "ML.9000", Person: ofAwa, At: march}, march),
		webhook.TypeSenderStatus:    webhooks.SenderChanged(account.Sender{ID: "snd_1", Channel: gateway.WhatsApp, Address: "22370000001"}, gateway.Connected, gateway.ConnDetail{State: gateway.Banned, Reason: "temporary_ban", Until: march}, march),
		webhook.TypePing:            webhooks.NewPing("acc", march),
	} {
		secret := signing.NewSecret()
		key, err := signing.ParseSecret(secret)
		if err != nil {
			t.Fatal(err)
		}
		h := http.Header{}
		signing.Sign(h, [][]byte{[]byte("the previous secret, 24 B"), key}, e.ID, march, []byte(e.Body))
		v, err := webhook.New(webhook.Options{Now: func() time.Time { return march.Add(time.Minute) }}, secret)
		if err != nil {
			t.Fatal(err)
		}
		got, err := v.Event(h, []byte(e.Body))
		if err != nil || got.Type != want || got.ID != e.ID || !got.At.Equal(march) || got.Data == nil {
			t.Fatalf("%s: got %+v, %v", want, got, err)
		}
		keepsAll(t, e.Body, got)
		if reflect.ValueOf(got.Data).Elem().FieldByName("Timestamp").Interface() != any(march) {
			t.Errorf("%s: got %+v, want its time", want, got.Data)
		}
	}
}

// keepsAll fails unless each member of an event's body is in the client's type of it.
func keepsAll(t *testing.T, body string, e *webhook.Event) {
	t.Helper()
	again, err := json.Marshal(e.Data)
	var sent, kept any
	if err = errors.Join(err, json.Unmarshal([]byte(body), &sent), json.Unmarshal(again, &kept)); err != nil {
		t.Fatal(err)
	}
	for _, name := range lost("", sent, kept) {
		if name != ".event" && name != ".eventId" {
			t.Errorf("%s: the member %s is not in %T", e.Type, name, e.Data)
		}
	}
}

// So are the events of logins, from the words until the token is given back.
func TestWebhookEvents_OfLogins(t *testing.T) {
	w := newLogin(t, dbtest.SQLite(t), tenant.Confidential)
	c, ctx := w.client(t), t.Context()
	endpoints := authwebhooks.NewEndpoints(signing.Endpoints{DB: w.DB, Key: w.Key, Dial: safedial.Options{Loopback: true}, Now: w.Clock.Now, Signal: &signing.Signal{}, Changed: w.Tenants.ClearCache})
	if _, err := endpoints.Set(ctx, w.Tenant.ID, "http://127.0.0.1:9/hook"); err != nil {
		t.Fatal(err)
	}
	a := c.Attempt(login.StartOptions{})
	back, err := servicetest.SignIn(ctx, a.URL, sandboxOne)
	if err != nil {
		t.Fatal(err)
	}
	who, err := c.Complete(ctx, back.Query(), a)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Revoke(ctx, who.Token); err != nil {
		t.Fatal(err)
	}
	if _, err := endpoints.Ping(ctx, w.Tenant.ID); err != nil {
		t.Fatal(err)
	}
	changed := &tenant.Event{ID: id.New(w.Clock.Now()), TenantID: w.Tenant.ID, Type: tenant.NumberChanged, At: w.Clock.Now(), Mode: tenant.Live}
	err = w.DB.Write(ctx, func(tx *db.Tx) error {
		return authwebhooks.Insert(tx, authwebhooks.NumberChanged, changed, authwebhooks.Detail{Subject: who.Claims.Subject, Phone: awa, NewPhone: "22376000009"})
	})
	if err != nil {
		t.Fatal(err)
	}
	stored, _, err := endpoints.Events(ctx, &signing.Filter{OwnerID: w.Tenant.ID, Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]any{}
	for _, s := range stored {
		e, err := webhook.Parse([]byte(s.Body))
		if err != nil || e.Data == nil || e.ID != s.ID {
			t.Fatalf("%s: got %+v, %v, want its event", s.Body, e, err)
		}
		keepsAll(t, s.Body, e)
		found[e.Type] = e.Data
	}
	completed, _ := found[webhook.TypeLoginCompleted].(*webhook.Login)
	revoked, _ := found[webhook.TypeLoginRevoked].(*webhook.Login)
	moved, _ := found[webhook.TypePersonNumberChanged].(*webhook.PersonNumberChanged)
	if moved == nil || moved.Subject != who.Claims.Subject {
		t.Errorf("got %+v, want the changed number of %s", moved, who.Claims.Subject)
	}
	if len(found) != 5 || found[webhook.TypeLoginVerified] == nil || found[webhook.TypePing] == nil || completed == nil || completed.Subject != who.Claims.Subject ||
		revoked == nil || revoked.TokenID != who.Claims.ID || revoked.Reason != "revoked_by_client" {
		t.Errorf("got %v, want verified, completed with the person, revoked with the token, a changed number, and a ping", found)
	}
}
