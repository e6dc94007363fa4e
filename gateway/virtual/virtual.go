package virtual

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"sync"
	"sync/atomic"

	"example.com/griot/gateway"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/seal"
)

// Contact is a number or an address with a name.
type Contact struct {
	Channel gateway.Channel `json:"channel"`
	Address string          `json:"address"`
	Name    string          `json:"name"`
}

// Options are the gateway's dependencies and settings.
type Options struct {
	Path string // of the file; "": memory
	Sink gateway.Sink
	Now  clock.Now
	Log  *slog.Logger
	Box  *seal.Box // seals sensitive messages in the file; required with Path

	// Contacts lists the numbers that phones can write to.
	Contacts func(ctx context.Context) ([]Contact, error)
	Groups   []Group
	Phones   []Contact // shown on the page even before they have messages
	// FetchMedia fetches an attachment, so that the page can show it. If it is nil, the page shows only the name.
	FetchMedia func(ctx context.Context, address string) (*gateway.Media, error)
	BaseURL    string // our own origin, the only one from which browsers can make changes
	// AskForNumber and ConfirmSignIn are the login's settings with these names. The page shows and changes them, and the
	// store keeps their values. The page doesn't show one that is nil.
	AskForNumber, ConfirmSignIn *atomic.Bool
}

// Gateway delivers messages to virtual phones.
type Gateway struct {
	store        store
	sink         gateway.Sink
	now          clock.Now
	log          *slog.Logger
	contacts     func(ctx context.Context) ([]Contact, error)
	listedPhones []listed // the phones and groups of the options
	groups       []Group  // the IDs are keys
	origin       string
	fetch        func(ctx context.Context, address string) (*gateway.Media, error)

	options   options
	faults    faults
	phones    phones
	people    people
	inRequest inRequest

	wakeReceipts chan struct{}
	wakeInbound  chan struct{}
	wakeChanges  chan struct{}
	closed       chan struct{}
	close        func() error
}

// New opens the gateway. Messages that waited for an offline phone are delivered.
func New(ctx context.Context, o Options) (*Gateway, error) {
	switch {
	case o.Sink == nil || o.Now == nil:
		return nil, errors.New("virtual: a sink and a clock are required")
	case o.Path != "" && o.Box == nil:
		return nil, errors.New("virtual: a file needs a box that seals sensitive messages")
	}
	g := &Gateway{
		sink: o.Sink, now: o.Now, log: o.Log, contacts: o.Contacts, fetch: o.FetchMedia,
		faults: newFaults(), phones: phones{states: map[string]phoneState{}},
		wakeReceipts: make(chan struct{}, 1), wakeInbound: make(chan struct{}, 1), wakeChanges: make(chan struct{}, 1), closed: make(chan struct{}),
	}
	if g.log == nil {
		g.log = slog.New(slog.DiscardHandler)
	}
	if g.contacts == nil {
		g.contacts = func(context.Context) ([]Contact, error) { return nil, nil }
	}
	if err := g.applyOptions(o); err != nil {
		return nil, err
	}
	if err := g.open(ctx, o); err != nil {
		return nil, err
	}
	g.close = sync.OnceValue(func() error {
		close(g.closed)
		return g.store.close()
	})
	return g, nil
}

// applyOptions checks and sets the options' phones, groups, and origin.
func (g *Gateway) applyOptions(o Options) error {
	for _, p := range o.Phones {
		a, ok := parseAddress(p.Address)
		if !ok {
			return fmt.Errorf("virtual: phone %q: not a number or an address", p.Name)
		}
		g.listedPhones = append(g.listedPhones, listed{address: a, name: p.Name})
	}
	for _, group := range o.Groups {
		a, ok := parseAddress(group.ID)
		if !ok || a.kind != kindGroup {
			return fmt.Errorf("virtual: group %q: an id ends in %s", group.Name, groupDomain)
		}
		g.listedPhones = append(g.listedPhones, listed{address: a, name: group.Name})
		group.ID = a.key
		g.groups = append(g.groups, group)
	}
	if o.BaseURL != "" {
		u, err := url.Parse(o.BaseURL)
		if err != nil || u.Scheme == "" || u.Host == "" {
			return errors.New("virtual: the base URL is not an address")
		}
		g.origin = u.Scheme + "://" + u.Host
	}
	return nil
}

func (g *Gateway) open(ctx context.Context, o Options) error {
	g.options.init(&o)
	if o.Path == "" {
		g.store = newMemory(g.log)
		return g.load(ctx, g.store)
	}
	f, err := openFile(ctx, o.Path, o.Box, g.log)
	if err != nil {
		return fmt.Errorf("virtual: %w", err)
	}
	if err := errors.Join(f.releaseAll(ctx, g.now()), g.load(ctx, f)); err != nil {
		return errors.Join(fmt.Errorf("virtual: %w", err), f.close())
	}
	g.store = f
	return nil
}

// load reads what the gateway keeps in memory.
func (g *Gateway) load(ctx context.Context, s store) error {
	return errors.Join(g.options.load(ctx, s), g.people.load(ctx, s))
}

// Info implements [gateway.Sender].
func (g *Gateway) Info() gateway.Info {
	return gateway.Info{
		Channels:     []gateway.Channel{gateway.WhatsApp, gateway.SMS, gateway.Email},
		Deduplicates: g.options.deduplicate.Load(),
		Receipts:     g.options.receipts.Load(),
		Replies:      true,
		Media:        true,
		MediaByLink:  true, // a phone shows the URL
		Window:       256,  // Sends return immediately
	}
}

// CheckName implements [gateway.Namer].
func (g *Gateway) CheckName(name string) (problem string) { return gateway.CheckName(name) }

// State implements [gateway.Connector].
func (g *Gateway) State(gateway.Channel, string) gateway.ConnDetail {
	return gateway.ConnDetail{State: gateway.Connected}
}

// Close ends the Sends that hang and closes the file. Run must have ended before.
func (g *Gateway) Close() error { return g.close() }

// signal wakes the receiver of c.
func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
