package behaviour

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"example.com/griot/auth/authtest"
	"example.com/griot/auth/tenant"
	griot "example.com/griot/client"
	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/test/servicetest"
)

// world is both services, on a database.
type world struct {
	t          *testing.T
	messaging  *messagingtest.World
	auth       *authtest.World
	api, login *servicetest.Script
	client     authtest.Client
	griot      *griot.Client // for the steps of the harness
	received   int
}

const redirect = "https://app.example/callback"

func newWorld(t *testing.T, d *db.DB) *world {
	t.Helper()
	w := &world{t: t, messaging: messagingtest.New(t, d, "business"), auth: authtest.New(t, d)}
	w.api, w.login = servicetest.Messaging(t, w.messaging), servicetest.Auth(t, w.auth)
	w.client = w.auth.NewClient(t, tenant.Confidential, tenant.Test, redirect)
	var err error
	if w.griot, err = griot.New(w.api.URL, w.messaging.LiveKey, griot.Options{}); err != nil {
		t.Fatal(err)
	}
	return w
}

// environment returns the settings for drivers.
func (w *world) environment() []string {
	return []string{
		"GRIOT_API_URL=" + w.api.URL, "GRIOT_API_KEY=" + w.messaging.LiveKey,
		"GRIOT_AUTH_URL=" + w.login.URL, "GRIOT_CLIENT_ID=" + w.client.ClientID, "GRIOT_CLIENT_SECRET=" + w.client.Secret, "GRIOT_REDIRECT_URI=" + redirect,
	}
}

// steps are the steps of the harness before a case.
var steps = map[string]func(w *world, args json.RawMessage) (any, error){
	"send": func(w *world, args json.RawMessage) (any, error) {
		m := &griot.Message{}
		if err := json.Unmarshal(args, m); err != nil {
			return nil, err
		}
		return w.griot.Send(w.t.Context(), m)
	},
	"sendCode": func(w *world, args json.RawMessage) (any, error) {
		r := &griot.CodeRequest{}
		if err := json.Unmarshal(args, r); err != nil {
			return nil, err
		}
		return w.griot.SendCode(w.t.Context(), r)
	},
	"addOptOut": func(w *world, args json.RawMessage) (any, error) {
		var a struct{ Channel, Address string }
		if err := json.Unmarshal(args, &a); err != nil {
			return nil, err
		}
		return w.griot.AddOptOut(w.t.Context(), griot.Channel(a.Channel), a.Address)
	},
	"receive": (*world).receive,
	"login":   (*world).signIn,
	"denied":  (*world).denied,
	"forge":   (*world).forge,
}

// receive sends a message from a person to the account.
func (w *world) receive(args json.RawMessage) (any, error) {
	var a struct{ From, Name, Text, Media, MIMEType, FileName string }
	if err := json.Unmarshal(args, &a); err != nil {
		return nil, err
	}
	w.received++
	in := gateway.Inbound{
		ID: fmt.Sprint(w.received), Gateway: "fake", Channel: gateway.WhatsApp, From: a.From, To: messagingtest.WhatsApp,
		Type: gateway.InboundText, Text: a.Text, DisplayName: a.Name, At: w.messaging.Clock.Now(),
	}
	if a.Media != "" {
		in.Type, in.MediaData, in.MIMEType, in.FileName = gateway.InboundDocument, a.Media, a.MIMEType, a.FileName
	}
	ctx := w.t.Context()
	if err := w.messaging.Inbox.Receive(ctx, in); err != nil {
		return nil, err
	}
	found, err := w.griot.Conversations(ctx, griot.InboxFilter{Query: a.From})
	if err != nil || len(found.Conversations) != 1 {
		return nil, fmt.Errorf("got %d conversations, %w", len(found.Conversations), err)
	}
	page, err := w.griot.ConversationMessages(ctx, found.Conversations[0].ID, griot.InboxFilter{Limit: 1})
	if err != nil {
		return nil, err
	}
	return map[string]any{"conversationId": found.Conversations[0].ID, "messageId": page.Messages[0].ID, "mediaUrl": page.Messages[0].MediaURL}, nil
}

// do runs one step and returns its result as JSON.
func (w *world) do(step Step, results []any) (any, error) {
	fn, ok := steps[step.Do]
	if !ok {
		return nil, fmt.Errorf("the harness has no such step")
	}
	w.api.Then()
	w.login.Then()
	w.messaging.Clock.Advance(time.Millisecond) // lists are in chronological order
	result, err := fn(w, substitute(step.Args, results))
	if err != nil {
		return nil, err
	}
	b, err := json.Marshal(result)
	return decode(b), err
}
