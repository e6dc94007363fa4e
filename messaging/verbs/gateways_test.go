package verbs_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaystore"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/seal"
	"example.com/griot/internal/verb"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/closing"
	messagingverbs "example.com/griot/messaging/verbs"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

type wire struct{}

func (wire) Info() gateway.Info { return gateway.Info{Channels: []gateway.Channel{gateway.SMS}} }

// named is a wire that accepts names of senders.
type named struct{ wire }

func (named) CheckName(name string) (problem string) { return gateway.CheckName(name) }

func (wire) Close() error { return nil }
func (wire) Send(context.Context, *gateway.Outbound) (gateway.Ack, error) {
	return gateway.Ack{}, nil
}

// operator calls the service's verbs on a database. meanwhile is called in the transaction that removes a gateway,
// after the check for senders.
type operator struct {
	t        *testing.T
	verbs    verb.Verbs
	gateways *gatewaystore.Store
}

// loginNumber is the number that people write to when they sign in.
const loginNumber = "5511987654321"

func newOperator(t *testing.T, d *db.DB, meanwhile func()) *operator {
	key, err := seal.ParseKey(seal.NewMasterKey())
	if err != nil {
		t.Fatal(err)
	}
	now := clock.NewFake(time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)).Now
	gateways := gatewaystore.New(gatewaystore.Options{
		DB: d, Key: key, Now: now, Log: slog.New(slog.DiscardHandler),
		Drivers: gateway.Registry{"wire": func(json.RawMessage, gateway.Deps) (gateway.Sender, error) { return wire{}, nil }, "named": func(json.RawMessage, gateway.Deps) (gateway.Sender, error) { return named{}, nil }},
		InUse: func(q *db.Query, name string) (bool, error) {
			used, err := account.OnGateway(q, name)
			meanwhile()
			return used, err
		},
	})
	directory := account.NewDirectory(d, now)
	return &operator{t, messagingverbs.Verbs(messagingverbs.Options{Directory: directory, Gateways: gateways, Closing: closing.New(closing.Options{DB: d, Directory: directory, Now: now}), LoginNumbers: []string{loginNumber}}), gateways}
}

func (o *operator) ask(name string, in any) error {
	body, err := json.Marshal(in)
	if err != nil {
		o.t.Fatal(err)
	}
	_, err = o.verbs.Call(o.t.Context(), name, body)
	return err
}

func (o *operator) addSender(address string) error {
	return o.ask("senders.add", messagingverbs.SenderInput{Channel: "sms", Address: address, Gateway: "post"})
}

// One operator removes a gateway while another assigns a sender to it. There is never a sender without its gateway.
func TestGateways_RemovedWhileASenderMovesIn(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		pause := func() { time.Sleep(2 * time.Millisecond) } // so that both are in their transactions at the same time
		o, other := newOperator(t, d, pause), newOperator(t, d, pause)
		removals := 0
		for round := range 25 {
			if err := o.ask("gateways.add", messagingverbs.GatewayInput{Name: "post", Kind: "wire", Settings: json.RawMessage(`{}`)}); err != nil {
				t.Fatal(err)
			}
			var both sync.WaitGroup
			var moved, removed error
			both.Go(func() { moved = other.addSender(fmt.Sprintf("+2237000%04d", round)) })
			both.Go(func() { removed = o.ask("gateways.remove", messagingverbs.ByName{Name: "post"}) })
			both.Wait()
			if (moved == nil) == (removed == nil) {
				t.Fatalf("round %d: sender %v, removal %v: one of them must be refused, and only one", round, moved, removed)
			}
			if removed == nil {
				removals++
				continue
			}
			if err := d.Write(t.Context(), func(tx *db.Tx) error {
				if _, err := tx.Exec(`DELETE FROM senders`); err != nil {
					return err
				}
				_, err := tx.Exec(`DELETE FROM gateways`)
				return err
			}); err != nil {
				t.Fatal(err)
			}
		}
		t.Logf("%d of 25 removals came first", removals)
	})
}

func TestGateways_RemoveOneThatIsUsed(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		o := newOperator(t, d, func() {})
		steps := []struct {
			name string
			in   any
			want string
		}{
			{"gateways.remove", messagingverbs.ByName{Name: "post"}, "No stored gateway has this name."},
			{"gateways.add", messagingverbs.GatewayInput{Name: "post", Kind: "wire", Settings: json.RawMessage(`{}`)}, ""},
			{"senders.add", messagingverbs.SenderInput{Channel: "sms", Address: "+22370000001", Gateway: "post"}, ""},
			{"gateways.remove", messagingverbs.ByName{Name: "post"}, "Senders use this gateway. Remove them first (griot admin gateways list shows them)."},
		}
		for _, s := range steps {
			got := ""
			if refusal, ok := errors.AsType[*apierror.Error](o.ask(s.name, s.in)); ok {
				got = refusal.Text()
			}
			if got != s.want {
				t.Errorf("%s: %q, want %q", s.name, got, s.want)
			}
		}
	})
}
