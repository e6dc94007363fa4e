package delivery_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/messagingtest"
)

// lister is a gateway that supports groups.
type lister struct {
	messagingtest.Gateway
	groups func(ctx context.Context, from string) ([]gateway.Group, error)
	asked  atomic.Int64
	state  gateway.ConnState
}

func (l *lister) Groups(ctx context.Context, from string) ([]gateway.Group, error) {
	l.asked.Add(1)
	return l.groups(ctx, from)
}

var _ gateway.Connector = (*lister)(nil)

func (l *lister) State(gateway.Channel, string) gateway.ConnDetail {
	return gateway.ConnDetail{State: l.state}
}

func lists(groups ...gateway.Group) *lister {
	return &lister{state: gateway.Connected, groups: func(context.Context, string) ([]gateway.Group, error) { return groups, nil }}
}

func group(id, name string, admin bool) gateway.Group {
	return gateway.Group{ID: id + "@g.us", Name: name, Participants: 5, IsAdmin: admin}
}

// withGateways returns a world whose account has a WhatsApp sender on each gateway.
func withGateways(t *testing.T, gateways map[string]gateway.Sender, names ...string) (*messagingtest.World, *delivery.Service) {
	t.Helper()
	w := messagingtest.New(t, dbtest.SQLite(t), "business", func(s *account.Spec) {
		s.Senders = []account.Sender{{Channel: gateway.SMS, Address: "22370000003", Gateway: "sms"}}
		for i, name := range names {
			s.Senders = append(s.Senders, account.Sender{Channel: gateway.WhatsApp, Address: "2237000001" + string(rune('0'+i)), Gateway: name})
		}
	})
	return w, w.NewDelivery(func(o *delivery.Options) { o.Gateways = gateway.NewSet(gateways) })
}

// Rules: M113.
func TestGroups_OfAllSendersEachOnce(t *testing.T) {
	both := group("3", "bureau", false)
	both.Participants = 9
	gateways := map[string]gateway.Sender{
		"a":     lists(group("2", "Livraisons", true), both, group("9", "Équipe", false)),
		"b":     lists(group("3", "Bureau, an older name", true), group("1", "Livraisons", false)),
		"plain": &messagingtest.Gateway{}, // connected, and knows no groups
		"sms":   lists(group("7", "of no WhatsApp sender", false)),
	}
	w, e := withGateways(t, gateways, "a", "b", "plain")
	both.IsAdmin = true // one of the senders administers it
	want := &delivery.GroupList{Groups: []gateway.Group{both, group("1", "Livraisons", false), group("2", "Livraisons", true), group("9", "Équipe", false)}}
	for range 5 {
		got, err := e.Groups(t.Context(), w.LiveCaller, false)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Fatalf("%v %s", err, diff)
		}
	}
}

// Rules: M114.
func TestGroups_OneGatewaysFailureHidesNoOthers(t *testing.T) {
	good := lists(group("1", "Livraisons", true))
	for name, bad := range map[string]func(ctx context.Context, from string) ([]gateway.Group, error){
		"an error": func(context.Context, string) ([]gateway.Group, error) { return nil, errors.New("no") },
		"a panic":  func(context.Context, string) ([]gateway.Group, error) { panic("oh") },
		"a stall that ends with the context": func(ctx context.Context, _ string) ([]gateway.Group, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, e := withGateways(t, map[string]gateway.Sender{"good": good, "bad": &lister{state: gateway.Connected, groups: bad}}, "bad", "good")
				got, err := e.Groups(t.Context(), w.LiveCaller, false)
				if err != nil || !got.Incomplete || len(got.Groups) != 1 || got.Groups[0].ID != "1@g.us" {
					t.Errorf("%+v, %v", got, err)
				}
				w, e = withGateways(t, map[string]gateway.Sender{"bad": &lister{state: gateway.Connected, groups: bad}}, "bad", "bad")
				if got, err := e.Groups(t.Context(), w.LiveCaller, false); !errors.Is(err, apierror.ProviderError.Err()) {
					t.Errorf("of no gateway that answers: %+v, %v", got, err)
				}
			})
		})
	}
}

func TestGroups_AStallThatNeverEndsIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		let := make(chan struct{})
		defer close(let)
		stalled := &lister{state: gateway.Connected, groups: func(context.Context, string) ([]gateway.Group, error) { <-let; return nil, nil }}
		w, e := withGateways(t, map[string]gateway.Sender{"good": lists(group("1", "x", false)), "stalled": stalled}, "stalled", "good")
		if got, err := e.Groups(t.Context(), w.LiveCaller, false); err != nil || !got.Incomplete || len(got.Groups) != 1 {
			t.Errorf("%+v, %v", got, err)
		}
	})
}

// Rules: M114.
func TestGroups_OnlyOfOwnSendersThatAreConnected(t *testing.T) {
	for state, connected := range map[gateway.ConnState]bool{gateway.Connected: true, gateway.Connecting: false, gateway.LoggedOut: false, gateway.Restricted: false} {
		l := lists(group("1", "x", false))
		l.state = state
		w, e := withGateways(t, map[string]gateway.Sender{"a": l}, "a", "gone")
		got, err := e.Groups(t.Context(), w.LiveCaller, false)
		switch {
		case connected && (err != nil || len(got.Groups) != 1 || got.Incomplete):
			t.Errorf("%s: %+v, %v", state, got, err)
		case !connected && (!errors.Is(err, apierror.GatewayNotConnected.Err()) || l.asked.Load() != 0):
			t.Errorf("%s: %+v, %v; asked %d times", state, got, err, l.asked.Load())
		}
	}
	shared := lists(group("1", "the platform's", true))
	w, e := withGateways(t, map[string]gateway.Sender{"shared": shared})
	if err := w.Directory.CreatePlatformSender(t.Context(), account.Sender{Channel: gateway.WhatsApp, Address: "22370000099", Gateway: "shared"}); err != nil {
		t.Fatal(err)
	}
	w.Directory.ForgetAll()
	a, err := w.Directory.Account(t.Context(), w.Account.ID)
	if err != nil || len(a.Senders) != 2 {
		t.Fatal(a, err)
	}
	if got, err := e.Groups(t.Context(), &account.Caller{Account: a, Kind: account.Live}, false); !errors.Is(err, apierror.GatewayNotConnected.Err()) || shared.asked.Load() != 0 {
		t.Errorf("a shared number's groups: %+v, %v", got, err)
	}
}

func TestGroups_TheSandboxAsksNobody(t *testing.T) {
	l := lists(group("1", "x", false))
	w, _ := withGateways(t, nil, "a")
	e := w.NewDelivery(func(o *delivery.Options) {
		o.Gateways, o.Sandbox = gateway.NewSet(map[string]gateway.Sender{"a": l}), true
	})
	got, err := e.Groups(t.Context(), w.LiveCaller, false)
	if err != nil || l.asked.Load() != 0 || len(got.Groups) != 1 || !strings.HasSuffix(got.Groups[0].ID, "@g.us") {
		t.Errorf("%+v, %v", got, err)
	}
}
