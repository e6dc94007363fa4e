package gatewaystore_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaystore"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/logtest"
	"example.com/griot/internal/seal"
	"example.com/griot/internal/waittest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// fakeSender is the gateway that the driver of the tests opens.
type fakeSender struct {
	token  string
	deps   gateway.Deps
	closed chan struct{}
	once   sync.Once
}

func (f *fakeSender) Info() gateway.Info {
	return gateway.Info{Channels: []gateway.Channel{gateway.SMS}}
}

func (f *fakeSender) Send(context.Context, *gateway.Outbound) (gateway.Ack, error) {
	return gateway.Ack{}, nil
}

func (f *fakeSender) Probe(context.Context) error {
	if f.token == "wrong" {
		return &gateway.Error{Class: gateway.SenderDown, Code: "credentials_refused"}
	}
	return nil
}

func (f *fakeSender) Notices() []gateway.Notice {
	if f.token == "old" {
		return []gateway.Notice{{Text: "it is old", Hint: "replace it"}}
	}
	return nil
}

func (f *fakeSender) Close() error {
	f.once.Do(func() { close(f.closed) })
	return nil
}

func drivers() gateway.Registry {
	return gateway.Registry{"fake": func(raw json.RawMessage, deps gateway.Deps) (gateway.Sender, error) {
		var s struct{ Token string }
		if err := json.Unmarshal(raw, &s); err != nil || s.Token == "" {
			return nil, errors.New("settings: token is needed")
		}
		return &fakeSender{token: s.Token, deps: deps, closed: make(chan struct{})}, nil
	}}
}

type sink struct{ gateway.Sink }

type deployment struct {
	t   *testing.T
	o   gatewaystore.Options
	log *logtest.Recorder
}

func newDeployment(t *testing.T, d *db.DB) *deployment {
	key, err := seal.ParseKey(seal.NewMasterKey())
	if err != nil {
		t.Fatal(err)
	}
	p := &deployment{t: t, log: &logtest.Recorder{}}
	p.o = gatewaystore.Options{
		DB: d, Key: key, Drivers: drivers(), Now: clock.NewFake(time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)).Now, Log: p.log.Logger(),
		Configured: []gatewaystore.Configured{{Name: "mail", Kind: "fake", Settings: json.RawMessage(`{"token":"m"}`)}},
	}
	return p
}

// server starts a process.
func (p *deployment) server() (*gatewaystore.Store, *gateway.Set) {
	p.t.Helper()
	store, open := gatewaystore.New(p.o), gateway.NewSet(nil)
	open.LogTo(p.o.Log, p.o.Now)
	p.ok(store.Open(p.t.Context(), open, sink{}))
	p.t.Cleanup(func() { _ = open.Close() })
	return store, open
}

func (p *deployment) ok(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *deployment) wantError(err, want error) {
	p.t.Helper()
	if !errors.Is(err, want) {
		p.t.Errorf("got %v, want %v", err, want)
	}
}

func token(s *gateway.Set, name string) string {
	f, ok := s.Get(name).(*fakeSender)
	if !ok {
		return ""
	}
	return f.token
}

const secret = "kora-of-21-strings"

func settings(token string) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"token":%q}`, token))
}

func TestStore_SyncsChangesOfOtherProcesses(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p, ctx := newDeployment(t, d), t.Context()
		store, open := p.server()
		other, otherOpen := p.server() // another process
		p.ok(store.Add(ctx, "sms", "fake", settings(secret)))
		first, _ := open.Get("sms").(*fakeSender)
		if first == nil || first.deps.Name != "sms" || first.deps.Sink == nil || first.token != secret {
			t.Fatalf("opened %+v", first)
		}
		if token(otherOpen, "sms") != "" {
			t.Error("the other process has it before Sync")
		}
		p.ok(other.Sync(ctx))
		if token(otherOpen, "sms") != secret {
			t.Error("the other process has not synced it")
		}
		p.ok(other.Sync(ctx))
		before := otherOpen.Get("sms")
		p.ok(other.Sync(ctx))
		if otherOpen.Get("sms") != before {
			t.Error("opened again without a change")
		}
		p.ok(store.Set(ctx, "sms", settings("2")))
		p.ok(other.Sync(ctx))
		if token(open, "sms") != "2" || token(otherOpen, "sms") != "2" {
			t.Error("the change was not synced")
		}
		again, restarted := p.server()
		if token(restarted, "sms") != "2" || token(restarted, "mail") != "m" {
			t.Error("not there after a restart")
		}
		p.ok(other.Remove(ctx, "sms"))
		p.ok(store.Sync(ctx))
		p.ok(again.Sync(ctx))
		if open.Get("sms") != nil || otherOpen.Get("sms") != nil || restarted.Get("sms") != nil || token(open, "mail") != "m" {
			t.Error("it is not removed, or too much is")
		}
		if log := p.log.String(); strings.Contains(log, secret) {
			t.Errorf("logged: %s", log)
		}
	})
}

func TestStore_Run(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newDeployment(t, dbtest.SQLite(t))
		store, open := p.server()
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- store.Run(ctx) }()
		p.ok(gatewaystore.New(p.o).Add(t.Context(), "sms", "fake", settings("1")))
		waittest.Until(t, func() error { // Run syncs every few seconds
			if token(open, "sms") == "" {
				return errors.New("not synced")
			}
			return nil
		})
		stop()
		p.ok(waittest.Receive(t, done))
	})
}

func TestStore_Refusals(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p, ctx := newDeployment(t, d), t.Context()
		store, open := p.server()
		p.wantError(store.Add(ctx, "mail", "fake", settings("1")), gatewaystore.ErrConfigured)
		p.wantError(store.Set(ctx, "mail", settings("1")), gatewaystore.ErrConfigured)
		p.wantError(store.Remove(ctx, "mail"), gatewaystore.ErrConfigured)
		p.wantError(store.Set(ctx, "sms", settings("1")), gatewaystore.ErrNotFound)
		p.wantError(store.Remove(ctx, "sms"), gatewaystore.ErrNotFound)
		for _, name := range []string{"", "a/b", "é", strings.Repeat("a", 65)} {
			p.wantError(store.Add(ctx, name, "fake", settings("1")), gatewaystore.ErrName)
		}
		for kind, raw := range map[string]json.RawMessage{"fake": json.RawMessage(`{}`), "pigeon": settings("1")} {
			if _, ok := errors.AsType[*gatewaystore.SettingsError](store.Add(ctx, "sms", kind, raw)); !ok {
				t.Errorf("%s was added", kind)
			}
		}
		p.ok(store.Add(ctx, "sms", "fake", settings("1")))
		p.wantError(store.Add(ctx, "sms", "fake", settings("2")), gatewaystore.ErrTaken)
		if _, ok := errors.AsType[*gatewaystore.SettingsError](store.Set(ctx, "sms", json.RawMessage(`{}`))); !ok || token(open, "sms") != "1" {
			t.Error("set to what doesn't open")
		}
		_, err := store.Test(ctx, "none")
		p.wantError(err, gatewaystore.ErrNotFound)
	})
}

// If two operators add a gateway at the same time, one of them is refused.
func TestStore_OneOfTwoAdds(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newDeployment(t, d)
		var both sync.WaitGroup
		errs := make([]error, 2)
		for i := range errs {
			both.Go(func() { errs[i] = gatewaystore.New(p.o).Add(t.Context(), "sms", "fake", settings(fmt.Sprint(i))) })
		}
		both.Wait()
		if (errs[0] == nil) == (errs[1] == nil) || !errors.Is(errors.Join(errs...), gatewaystore.ErrTaken) {
			t.Errorf("got %v, want one nil and one %v", errs, gatewaystore.ErrTaken)
		}
	})
}

func TestStore_ANameInBoth(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p, ctx := newDeployment(t, d), t.Context()
		store, _ := p.server()
		p.ok(store.Add(ctx, "sms", "fake", settings("1")))
		p.o.Configured = append(p.o.Configured, gatewaystore.Configured{Name: "sms", Kind: "fake", Settings: settings("c")})
		if err := gatewaystore.New(p.o).Open(ctx, gateway.NewSet(nil), sink{}); err == nil || !strings.Contains(err.Error(), `"sms" is in the configuration and in the database`) {
			t.Errorf("started: %v", err)
		}
		p.ok(gatewaystore.New(p.o).Remove(ctx, "sms")) // without a server
		if _, open := p.server(); token(open, "sms") != "c" {
			t.Error("the configuration's isn't there")
		}
	})
}

// A stored gateway that cannot be opened does not stop the others.
func TestStore_AStoredGatewayThatDoesNotOpen(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p, ctx := newDeployment(t, d), t.Context()
		store, _ := p.server()
		p.ok(store.Add(ctx, "sms", "fake", settings(secret)))
		sealed := ""
		if _, err := d.Read(ctx).Row(`SELECT settings FROM gateways WHERE name = 'sms'`).Scan(&sealed); err != nil || sealed == "" || strings.Contains(sealed, secret) {
			t.Fatalf("stored %q, %v", sealed, err)
		}
		p.ok(d.Write(ctx, func(tx *db.Tx) error { // settings that were sealed for the name sms
			_, err := tx.Exec(`INSERT INTO gateways (name, kind, settings, revision, created_at) VALUES ('copy', 'fake', $1, 'r', 0)`, sealed)
			return err
		}))
		again, open := p.server()
		if open.Get("copy") != nil || token(open, "sms") != secret {
			t.Error("opened with another's settings, or nothing at all")
		}
		entries, err := again.List(ctx)
		if err != nil || len(entries) != 3 || entries[0].Problem == "" || entries[0].Open || !entries[2].Open || !entries[2].Stored || entries[1].Stored {
			t.Errorf("%+v %v", entries, err)
		}
		if strings.Contains(fmt.Sprint(entries), secret) {
			t.Error("the list shows a secret")
		}
		if names := again.NotOpen(); len(names) != 1 || names[0] != "copy" {
			t.Errorf("not open are %v, want copy", names)
		}
		p.ok(again.Remove(ctx, "copy"))
		if names := again.NotOpen(); len(names) != 0 {
			t.Errorf("not open are %v after its removal, want none", names)
		}
	})
}

func TestStore_Test(t *testing.T) {
	p, ctx := newDeployment(t, dbtest.SQLite(t)), t.Context()
	store, _ := p.server()
	p.ok(store.Add(ctx, "good", "fake", settings("1")))
	p.ok(store.Add(ctx, "bad", "fake", settings("wrong")))
	p.ok(store.Add(ctx, "old", "fake", settings("old")))
	for _, store := range []*gatewaystore.Store{store, gatewaystore.New(p.o)} {
		for name, fails := range map[string]bool{"mail": false, "good": false, "bad": true, "old": false} {
			result, err := store.Test(ctx, name)
			if err != nil || !result.Probed || (result.Problem != nil) != fails || result.Kind != "fake" || (len(result.Notices) == 1) != (name == "old") {
				t.Errorf("%s: %+v %v", name, result, err)
			}
		}
	}
}
