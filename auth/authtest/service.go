package authtest

import (
	"context"
	"testing"
	"time"

	"example.com/griot/auth"
	"example.com/griot/auth/login"
	"example.com/griot/auth/token"
	"example.com/griot/auth/webhooks"
	"example.com/griot/internal/safedial"
	"example.com/griot/internal/webhook"
	"example.com/griot/openapi"
	"example.com/griot/web/webtest"
)

// The gateway of the number to which people send login messages.
const (
	ReceiverID      = "phone-1"
	ReceiverNumber  = "22370000001"
	ReceiverGateway = "wa"
	ReceiverSecret  = "the gateway's secret"
)

// NewService opens the service of a node, with changed options.
func (w *World) NewService(t testing.TB, change ...func(*auth.Options)) *auth.Service {
	t.Helper()
	o := auth.Options{
		DB: w.DB, Key: w.Key, Now: w.Clock.Now, Log: w.Log.Logger(), Pages: webtest.NewPages(t), URL: w.URL, OpenAPI: openapi.Auth(),
		Receivers: []login.Receiver{{PhoneID: ReceiverID, Number: ReceiverNumber, Gateway: ReceiverGateway, Secret: ReceiverSecret}},
		StateMax:  256, Identity: w.Identity, Gateways: w.Gateways,
	}
	for _, c := range change {
		c(&o)
	}
	s, err := auth.New(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Loopback lets webhooks go to this machine.
func Loopback(o *auth.Options) {
	o.Webhooks = auth.Webhooks{Dial: safedial.Options{Loopback: true}, Agent: "Griot/test"}
}

// NewSigner creates the signer of another node.
func (w *World) NewSigner(t testing.TB) *token.Signer {
	t.Helper()
	s, err := token.Open(context.Background(), w.DB, w.Key, w.Clock.Now)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// NewLogins creates the login service of another node, with changed options.
func (w *World) NewLogins(change ...func(*login.Options)) *login.Service {
	o := login.Options{DB: w.DB, Key: w.Key, Now: w.Clock.Now, Issuer: Issuer, Receivers: []login.Receiver{{Number: "22370000099"}}, KeepAudit: 400 * 24 * time.Hour, Tenants: w.Tenants, Identity: w.Identity, Gateways: w.Gateways}
	for _, c := range change {
		c(&o)
	}
	return login.New(o)
}

// NewEndpoints creates the tenants' endpoints of another node, as an operator can change them.
func (w *World) NewEndpoints() *webhooks.Endpoints {
	return webhooks.NewEndpoints(webhook.Endpoints{DB: w.DB, Key: w.Key, Dial: safedial.Options{Loopback: true}, Now: w.Clock.Now, Signal: &webhook.Signal{}, Changed: w.Tenants.ClearCache})
}
