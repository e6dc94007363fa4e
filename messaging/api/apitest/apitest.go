// Package apitest creates the messaging API of a world, for tests.
package apitest

import (
	"log/slog"

	"example.com/griot/internal/limit"
	"example.com/griot/messaging/alerts"
	"example.com/griot/messaging/api"
	"example.com/griot/messaging/billing"
	"example.com/griot/messaging/closing"
	"example.com/griot/messaging/mail"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/messaging/optout"
	"example.com/griot/messaging/otp"
	"example.com/griot/messaging/pairing"
	"example.com/griot/messaging/person"
	"example.com/griot/messaging/sender"
	"example.com/griot/messaging/stats"
	"example.com/griot/openapi"
	"example.com/griot/web"
)

// Options returns options with every service of the API in a world, after some changes. Requests are not rate-limited, but codes by email are.
func Options(w *messagingtest.World, pages *web.Pages, log *slog.Logger, url string, change ...func(*api.Options)) api.Options {
	o := api.Options{
		Directory: w.Directory, Delivery: w.Delivery, Inbox: w.Inbox, Endpoints: w.Endpoints, Erasure: w.Erasure, Now: w.Clock.Now, Log: log, Ping: w.DB.Ping, Pages: pages, OpenAPI: openapi.Messaging(), URL: url, Version: "1.2.3",
		OTP:      otp.New(otp.Options{DB: w.DB, Key: w.Master, Delivery: w.Delivery, Presets: w.Presets, Now: w.Clock.Now, Log: log}),
		Mail:     mail.New(mail.Options{Delivery: w.Delivery, Directory: w.Directory, Key: w.Master, Log: log, URL: url, Codes: limit.Defaults().CodeEmail}),
		Billing:  billing.New(billing.Options{DB: w.DB, Directory: w.Directory, Now: w.Clock.Now, Log: log, URL: url}),
		Alerts:   alerts.New(alerts.Options{DB: w.DB, Directory: w.Directory, Delivery: w.Delivery, Now: w.Clock.Now, Log: log, URL: url}),
		Pairing:  pairing.New(pairing.Options{DB: w.DB, Directory: w.Directory, Delivery: w.Delivery, Now: w.Clock.Now, Log: log, URL: url}),
		OptOuts:  &optout.Service{DB: w.DB, Directory: w.Directory, People: person.NewKey(w.Master), Now: w.Clock.Now},
		Messages: &message.Reader{DB: w.DB, Directory: w.Directory, Now: w.Clock.Now},
		Senders:  &sender.Service{DB: w.DB, Delivery: w.Delivery, Now: w.Clock.Now},
		Stats:    &stats.Stats{DB: w.DB, Directory: w.Directory, Now: w.Clock.Now},
	}
	for _, c := range change {
		c(&o)
	}
	o.Closing = closing.New(closing.Options{DB: w.DB, Directory: w.Directory, Delivery: w.Delivery, Billing: o.Billing, Mail: o.Mail, Now: w.Clock.Now, Log: log})
	return o
}
