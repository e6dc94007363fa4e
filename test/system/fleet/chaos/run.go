package chaos

import (
	"context"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/seal"
	"example.com/griot/test/system/fleet/history"
)

// Options describe a run.
type Options struct {
	Program     string         // griot
	Environment []string       // of the nodes, in addition to this process's
	Database    string         // the address of an empty PostgreSQL database
	Server      *dbtest.Server // the server of that database, if faults can harm it
	Nodes       int
	Seed        uint64

	Duration time.Duration // of the load
	Rate     int           // messages per second, of all clients together
	Clients  int
	Faults   []Fault       // the possible faults
	Most     int           // maximum number of faults; 0: as many as fit
	Pause    time.Duration // before each fault, plus or minus half of it
	Drain    time.Duration // maximum time that messages can be in flight after the load
	Events   time.Duration // the same for webhooks; those that still wait after that are read from the API
}

// run is the state of a run.
type run struct {
	t        testing.TB
	o        *Options
	rec      *recorder
	nodes    []*node
	accounts []*account
	app      oauthClient
	revoked  []apiKey
	gateways *gateways
}

type apiKey struct{ ID, Key string }

type oauthClient struct{ ClientID, ClientSecret string }

// Run runs a deployment under load and faults, waits until everything is delivered, and returns the observed events.
func Run(t testing.TB, o *Options) history.History {
	t.Helper()
	r := &run{t: t, o: o, rec: &recorder{}}
	began := time.Now()
	r.open()
	t.Logf("%d nodes started in %s", o.Nodes, time.Since(began).Round(time.Millisecond))
	r.rec.began = time.Now() // only declarations were added before
	watch, unwatch := context.WithCancel(t.Context())
	var watched sync.WaitGroup
	watched.Go(func() { r.rec.watch(watch) })
	defer watched.Wait()
	defer unwatch()

	ctx, stop := context.WithCancel(t.Context())
	var clients sync.WaitGroup
	next := 0
	newClient := func() *client {
		next++
		return &client{r, next, rand.New(rand.NewPCG(o.Seed, uint64(100+next)))}
	}
	for range o.Clients {
		c := newClient()
		clients.Go(func() { c.work(ctx, time.Second*time.Duration(o.Clients)/time.Duration(o.Rate)) })
	}
	for range 2 {
		c := newClient()
		clients.Go(func() { c.signIn(ctx) })
	}
	keys := newClient()
	clients.Go(func() { keys.revokeKeys(ctx, r.revoked) })
	r.harm(rand.New(rand.NewPCG(o.Seed, 2)), r.rec.began.Add(o.Duration))
	stop()
	clients.Wait()
	r.settle()
	return r.rec.events
}

// open starts the nodes, and creates the accounts and the client of the login service.
func (r *run) open() {
	r.t.Helper()
	hooks := newEndpoint(r.t, r.rec)
	r.gateways = newGateways(r.t, r.rec, r.o, func() []*node { return r.nodes })
	settings := "rate_limits: false\nsend_wait: 300ms\nunknown_wait: " + unknownWait.String() + "\nwebhooks: {allow: [" + strconv.Quote(hooks.url) + "]}\n"
	masterKey := seal.NewMasterKey()
	for n := range r.o.Nodes {
		authURL := ""
		if n > 0 {
			authURL = r.nodes[0].auth
		}
		r.nodes = append(r.nodes, newNode(r.t, n, r.o, authURL, settings+r.gateways.settings(n), masterKey))
	}
	r.nodes[0].start(r.t) // it migrates the database
	r.setUp(hooks.url)
	var others sync.WaitGroup
	for _, d := range r.nodes[1:] {
		d.launch(r.t)
		others.Go(func() {
			for end := time.Now().Add(startTime); !d.ready() && time.Now().Before(end); {
				time.Sleep(20 * time.Millisecond)
			}
		})
	}
	others.Wait()
	for _, d := range r.nodes {
		if !d.ready() {
			r.t.Fatalf("node %s is not ready:\n%s", d.name, d.log())
		}
	}
}

// setUp creates the data in the database through the first node.
func (r *run) setUp(hooks string) {
	r.t.Helper()
	do := func(out any, args ...string) {
		r.t.Helper()
		if err := r.nodes[0].admin(out, args...); err != nil {
			r.t.Fatal(err)
		}
	}
	limit := max(10, r.o.Rate*int(r.o.Duration/time.Second)/40) // half of the messages for it
	do(nil, "plans", "set", "free", "--daily-limit", strconv.Itoa(limit), "--recipient-cap", "0")
	for _, a := range accounts(limit) {
		var made struct{ ID string }
		do(&made, "accounts", "create", "--name", a.name, "--email", a.name+"@example.com", "--plan", a.plan)
		a.id = made.ID
		var key apiKey
		do(&key, "api-keys", "create", "--account", a.id)
		a.key = key.Key
		do(&made, "senders", "add", "--account", a.id, "--channel", "sms", "--address", "2237000000"+strconv.Itoa(a.number), "--gateway", a.gateway)
		a.sender = made.ID
		if a.webhooks {
			do(nil, "webhooks", "set", "--account", a.id, "--url", hooks)
		}
		r.accounts = append(r.accounts, a)
		r.rec.declare(history.Event{Kind: history.Account, Account: a.name, Limit: a.limit, Webhooks: a.webhooks})
	}
	for range 1 + int(r.o.Duration/(10*time.Second)) {
		var key apiKey
		do(&key, "api-keys", "create", "--account", r.accounts[0].id)
		r.revoked = append(r.revoked, key)
	}
	var tenant struct{ ID string }
	do(&tenant, "tenants", "create", "--name", "Shop")
	do(&r.app, "clients", "create", "--tenant", tenant.ID, "--type", "CONFIDENTIAL", "--mode", "TEST", "--redirect", redirect)
	if !strings.HasPrefix(r.app.ClientID, "cl_") || len(r.revoked[0].Key) < 20 {
		r.t.Fatal("griot admin prints other names than the test expects")
	}
}
