package delivery_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/safedial"
	"example.com/griot/internal/visible"
	"example.com/griot/internal/waittest"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/media"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
)

const png = "\x89PNG\r\n\x1a\n...."

// withMedia returns a request with the attachment at a URL. The fetcher's client handles TLS.
func withMedia(url string) *message.Request {
	r := text("22376000001")
	r.Channel, r.Content.Text, r.MediaURL, r.Caption = gateway.WhatsApp, "", url, "Votre colis"
	return r
}

// Rules: M20, M29, M30.
func TestMedia_IsFetchedOnceAndTypedByItsBytes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		var fetched atomic.Int64
		srv := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
			fetched.Add(1)
			rw.Header().Set("Content-Type", "text/html") // a lie
			_, _ = rw.Write([]byte(png))
		}))
		t.Cleanup(srv.Close)
		w := messagingtest.New(t, d, "free")
		e := w.NewDelivery(func(o *delivery.Options) { o.Media = media.New(srv.Client(), w.Clock.Now) })
		w.Run(t, e)
		var wg sync.WaitGroup
		for range 5 {
			wg.Go(func() {
				res, err := e.Submit(context.Background(), w.LiveCaller, withMedia(srv.URL+"/a/colis.png?x=1"))
				if err != nil || res.Message.Status != message.Sent {
					t.Errorf("%+v, %v", res, err)
				}
			})
		}
		wg.Wait()
		if fetched.Load() != 1 {
			t.Errorf("fetched %d times", fetched.Load())
		}
		out := w.Gateway.Calls()[0]
		if out.Media == nil || out.Media.MIMEType != "image/png" || out.Media.FileName != "colis.png" || string(out.Media.Data) != png || out.Text != "Votre colis" {
			t.Errorf("the gateway was given %+v", out)
		}
	})
}

// Rules: M29.
func TestMedia_WhatCannotBeFetchedFailsTheMessage(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/busy", func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusServiceUnavailable) })
	mux.HandleFunc("/large", func(rw http.ResponseWriter, _ *http.Request) {
		_, _ = rw.Write(bytes.Repeat([]byte("x"), media.MaxSize+1))
	})
	mux.HandleFunc("/cut", func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Length", "100")
		_, _ = rw.Write([]byte("x"))
	})
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	w := messagingtest.New(t, dbtest.SQLite(t), "free")
	e := w.NewDelivery(func(o *delivery.Options) { o.Media = media.New(srv.Client(), w.Clock.Now) })
	w.Run(t, e)
	for path, want := range map[string]string{"/gone": "media_not_found", "/busy": "media_unavailable", "/large": "media_too_large", "/cut": "media_unavailable"} {
		res, err := e.Submit(t.Context(), w.LiveCaller, withMedia(srv.URL+path))
		if err != nil || res.Message.Status != message.Failed || res.Message.Failure.Code != want {
			t.Errorf("%s: %+v, %v", path, res.Message.Failure, err)
		}
		if strings.Contains(string(w.Message(t, res.Message.ID).Timeline), srv.URL) {
			t.Error("the timeline holds the address")
		}
	}
	if len(w.Gateway.Calls()) != 0 || usedQuota(t, w) != 0 {
		t.Errorf("asked %d times, used %d", len(w.Gateway.Calls()), usedQuota(t, w))
	}
}

func TestMedia_AGatewayThatTakesLinksFetchesNothing(t *testing.T) {
	w := messagingtest.New(t, dbtest.SQLite(t), "free")
	w.Gateway.MediaByLink.Store(true)
	w.Run(t, w.Delivery)
	r := withMedia("https://example.com/colis.png")
	r.Content.Text = "Bonjour"
	m := w.Submit(t, r).Message
	if out := w.Gateway.Calls()[0]; m.Status != message.Sent || out.Media.URL != "https://example.com/colis.png" || out.Media.Data != nil || out.Text != "Bonjour\nVotre colis" {
		t.Errorf("%s, %+v", m.Status, out)
	}
}

// A gateway that fetches attachments itself resolves names in its own network, where Griot's protection does not apply.
func TestMedia_AGatewayThatTakesLinksGetsNoneOfAPrivateNetwork(t *testing.T) {
	w := messagingtest.New(t, dbtest.SQLite(t), "free")
	w.Gateway.MediaByLink.Store(true)
	e := w.NewDelivery(func(o *delivery.Options) { o.Links = safedial.Options{Private: true} })
	w.Run(t, e)
	for _, address := range []string{"https://10.0.0.1/x.png", "https://intranet/x.png", "https://[fd12::1]/x.png"} {
		res, err := e.Submit(t.Context(), w.LiveCaller, withMedia(address))
		if err != nil || res.Message.Status != message.Failed || res.Message.Failure.Code != "media_refused" {
			t.Errorf("%s: %+v, %v, want FAILED with media_refused", address, res, err)
		}
	}
	if n := len(w.Gateway.Calls()); n != 0 {
		t.Errorf("the gateway was asked %d times, want 0", n)
	}
}

// When a message is accepted, the address is checked without a name server.
// Rules: M28.
func TestMedia_AddressIsJudgedAtAcceptance(t *testing.T) {
	w := messagingtest.New(t, dbtest.SQLite(t), "free")
	w.Gateway.MediaByLink.Store(true)
	for i, tt := range []struct {
		address string
		links   safedial.Options
		taken   bool
	}{
		{"https://files.invalid/x.png", safedial.Options{}, true}, // a name that nobody knows
		{"https://93.184.216.34:8443/x.png", safedial.Options{}, true},
		{"https://10.0.0.1/x.png", safedial.Options{}, false},
		{"http://127.0.0.1:3000/x.png", safedial.Options{}, false},
		{"http://127.0.0.1:3000/x.png", safedial.Options{Loopback: true}, true},
		{"https://localhost/x.png", safedial.Options{}, false},
		{"https://files.invalid:25/x.png", safedial.Options{}, false},
		{" https://files.invalid/x.png\u00a0\u200b", safedial.Options{}, true},
		{"https://files.invalid/\u200bx.png", safedial.Options{}, false},
	} {
		e := w.NewDelivery(func(o *delivery.Options) { o.Links, o.Wait = tt.links, time.Millisecond })
		res, err := e.Submit(t.Context(), w.LiveCaller, withMedia(tt.address))
		f, refused := errors.AsType[*apierror.Error](err)
		if refused == tt.taken || refused && (f.Kind != apierror.InvalidRequest || f.Field != "mediaUrl") {
			t.Errorf("%d: %s: %v, want it taken: %v", i, tt.address, err, tt.taken)
		}
		if res != nil && res.Message.Options.MediaURL != visible.Trim(tt.address) {
			t.Errorf("%d: %q is stored", i, res.Message.Options.MediaURL)
		}
	}
}

// Rules: M28, M46.
func TestMedia_NeedsASenderThatSupportsIt(t *testing.T) {
	w := messagingtest.New(t, dbtest.SQLite(t), "free")
	w.Gateway.NoMedia.Store(true)
	if _, err := w.Delivery.Submit(t.Context(), w.LiveCaller, withMedia("https://example.com/x.png")); err == nil {
		t.Error("a gateway without media was given some")
	}
}

// Rules: M34.
func TestGroup_IsWhereTheMessageGoes(t *testing.T) {
	w := messagingtest.New(t, dbtest.SQLite(t), "free")
	r := text("22376000001")
	r.Channel, r.GroupID = gateway.WhatsApp, "120363000000000001@g.us"
	m := w.Submit(t, r).Message
	if out := w.Gateway.Calls()[0]; out.GroupID != r.GroupID || out.To != "22376000001" || w.Message(t, m.ID).Options.GroupID != r.GroupID {
		t.Errorf("%+v", out)
	}
}

func TestReceipt_ByTheProvidersID(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "free")
		w.Gateway.ByProviderID.Store(true)
		early := make(chan error, 1)
		w.Gateway.SetScript(func(ctx context.Context, _ *gateway.Outbound) (gateway.Ack, error) {
			go func() { // faster than the transaction that stores the id
				early <- w.Delivery.Receipt(context.WithoutCancel(ctx), gateway.Receipt{Gateway: "fake", ProviderID: "0A1B", Status: gateway.ReceiptDelivered})
			}()
			return gateway.Ack{ProviderID: "0A1B"}, nil
		})
		id := w.Submit(t, text("22376000001")).Message.ID
		if err := waittest.Receive(t, early); err != nil {
			t.Fatal(err)
		}
		w.Becomes(t, id, message.Delivered)
		for _, r := range []gateway.Receipt{
			{Gateway: "fake", ProviderID: "unknown", Status: gateway.ReceiptDelivered}, {Gateway: "other", ProviderID: "0A1B", Status: gateway.ReceiptRead}, {Status: gateway.ReceiptRead},
		} {
			if err := w.Delivery.Receipt(t.Context(), r); err != nil {
				t.Errorf("%+v: %v", r, err)
			}
		}
		if m := w.Message(t, id); m.Status != message.Delivered {
			t.Errorf("a foreign receipt made it %s", m.Status)
		}
	})
}
