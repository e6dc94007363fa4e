package systemtest

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/waittest"
	"example.com/griot/messaging/account"
)

// WithSenders creates an account without a quota in a database that no process has
// open. The account has a sender on each channel in gateways, on the gateway with the
// given name.
func WithSenders(t *testing.T, url, plan string, gateways map[gateway.Channel]string) (key string) {
	t.Helper()
	d, err := db.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	if _, err := d.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	spec := &account.Spec{Name: "Boutique", Email: "boutique@example.com", Plan: plan}
	for channel, name := range gateways {
		spec.Senders = append(spec.Senders, account.Sender{Channel: channel, Address: "2237000000" + strconv.Itoa(len(name)), Gateway: name})
	}
	directory := account.NewDirectory(d, clock.System)
	a, err := directory.Create(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	if key, err = directory.CreateKey(t.Context(), a.ID, "", account.Live); err != nil {
		t.Fatal(err)
	}
	return key
}

// WaitUntilConnected waits until no sender of a key's account is connecting. A remote gateway's senders are
// connecting, and their messages wait, until the gateway has responded to its first request for information.
func WaitUntilConnected(t *testing.T, api, key string) {
	t.Helper()
	waittest.Until(t, func() error {
		r, err := Call("GET", api+"/api/senders", "", "X-API-Key: "+key)
		if err != nil || r.Status != 200 || strings.Contains(r.Raw, `"state":"connecting"`) {
			return fmt.Errorf("%w: %+v", errors.Join(err, ErrNotYet), r)
		}
		return nil
	})
}

// WithAccount creates an account in a database that no process has open, and returns its key.
func WithAccount(t *testing.T, url string) string {
	t.Helper()
	d, err := db.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	if _, err := d.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	directory := account.NewDirectory(d, clock.System)
	a, err := directory.Create(t.Context(), &account.Spec{Name: "Boutique", Email: "boutique@example.com", Plan: "free"})
	if err != nil {
		t.Fatal(err)
	}
	key, err := directory.CreateKey(t.Context(), a.ID, "", account.Live)
	if err != nil {
		t.Fatal(err)
	}
	return key
}
