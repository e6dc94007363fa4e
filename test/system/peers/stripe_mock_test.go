package peers_test

import (
	"bufio"
	"context"
	"log/slog"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/griot/messaging/billing"
	"example.com/griot/messaging/billing/stripe"
)

// startStripeMock starts stripe-mock, which validates requests against Stripe's own description of its API.
func startStripeMock(t *testing.T) (url string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute) // it is installed on its first use
	defer cancel()
	script, err := filepath.Abs(root + "/scripts/stripe-mock.sh")
	if err != nil {
		t.Fatal(err)
	}
	path, err := exec.CommandContext(ctx, script).Output()
	if err != nil {
		t.Fatalf("installing stripe-mock: %v", err)
	}
	mock := exec.CommandContext(t.Context(), strings.TrimSpace(string(path)), "-http-addr", "127.0.0.1:")
	out, err := mock.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := mock.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = mock.Process.Kill()
		_ = mock.Wait()
	})
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if _, address, ok := strings.Cut(lines.Text(), "Listening for HTTP at address: "); ok {
			go func() {
				for lines.Scan() { // so that it never waits for a reader
				}
			}()
			return "http://" + address
		}
	}
	t.Fatal("stripe-mock did not say where it listens")
	return ""
}

// Every request has a format that Stripe accepts. stripe-mock knows one version of the API, which can be later than the
// SDK's.
func TestRequests_AreOfStripesShape(t *testing.T) {
	t.Parallel()
	p, err := stripe.New(stripe.Options{Key: "sk_test_123", WebhookSecret: "whsec_x", Prices: map[string]string{"price_pro": "pro"}, URL: startStripeMock(t), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	if prices, err := p.Prices(ctx); err != nil || len(prices) > 1 {
		t.Errorf("prices: got %v, %v", prices, err)
	}
	customer, err := p.CreateCustomer(ctx, &billing.NewCustomer{Key: "k1", AccountID: "a", Name: "Awa", Email: "awa@example.com", Lang: "fr"})
	if err != nil || customer == "" {
		t.Errorf("a customer: got %q, %v", customer, err)
	}
	if _, err := p.Subscriptions(ctx, "cus_1"); err != nil {
		t.Errorf("subscriptions: %v", err)
	}
	if _, err := p.Invoices(ctx, "cus_1", 12); err != nil {
		t.Errorf("invoices: %v", err)
	}
	url, _, err := p.Checkout(ctx, &billing.Checkout{
		Key: "k2", Customer: "cus_1", AccountID: "a", Price: "price_pro", Lang: "fr", Done: "https://api.example.com/done", Canceled: "https://api.example.com/canceled",
	})
	if err != nil {
		t.Errorf("a checkout: got %q, %v", url, err)
	}
	for name, to := range map[string]billing.Portal{
		"everything": {Customer: "cus_1", Lang: "fr", Return: "https://api.example.com/back"},
		"a change":   {Customer: "cus_1", Lang: "en", Return: "https://api.example.com/back", Subscription: "sub_1", Item: "si_1", Price: "price_pro"},
		"the end":    {Customer: "cus_1", Lang: "en", Return: "https://api.example.com/back", Subscription: "sub_1"},
	} {
		if url, err := p.Portal(ctx, &to); err != nil || url == "" {
			t.Errorf("the portal for %s: got %q, %v", name, url, err)
		}
	}
}
