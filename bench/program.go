package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"example.com/griot/internal/db"
	"example.com/griot/internal/seal"
	"example.com/griot/internal/verb"
)

// program is a binary under test, with the databases that it has prepared.
type program struct {
	name, path string
	prepared   map[kind]*prepared
}

// kind is the kind of a prepared database. Scenarios of one kind can share it.
type kind struct {
	engine   db.Engine
	webhooks bool
}

// prepared is a data directory and a database with accounts that the program itself has created. Each load gets a copy.
type prepared struct {
	*program
	s        *sendBench
	folder   string
	database string // PostgreSQL: its name
	keys     []string
}

// prepare creates accounts with a sender and a key each and, if the scenario has webhooks, an endpoint.
func (s *sendBench) prepare(ctx context.Context, p *program, sc *scenario) (*prepared, error) {
	k := kind{sc.Engine, sc.webhooks}
	if ready := p.prepared[k]; ready != nil {
		return ready, nil
	}
	ready := &prepared{program: p, s: s}
	var err error
	if ready.folder, err = os.MkdirTemp(s.o.dir, "prepared-"); err != nil {
		return nil, err
	}
	if sc.Engine == db.Postgres {
		if ready.database, err = s.server.create(ctx, "template1"); err != nil {
			return nil, err
		}
	}
	g, err := startGriot(ctx, []string{withoutHistory}, p.path, ready.folder, ready.databaseFlag(ready.database)...)
	if err != nil {
		return nil, err
	}
	err = ready.fill(ctx, g, sc.webhooks)
	g.stop()
	if p.prepared == nil {
		p.prepared = map[kind]*prepared{}
	}
	p.prepared[k] = ready
	return ready, err
}

func (p *prepared) databaseFlag(name string) []string {
	if name == "" {
		return nil
	}
	return []string{"--database", p.s.server.at(name)}
}

// operator returns a client for operator commands, like that of `griot admin`. folder is the program's data directory.
func (g *griot) operator(folder string) (*verb.Client, error) {
	secret, err := os.ReadFile(filepath.Join(folder, "master.key"))
	if err != nil {
		return nil, err
	}
	key, err := seal.ParseKey(string(bytes.TrimSpace(secret)))
	if err != nil {
		return nil, err
	}
	return verb.NewClient(g.InternalURL, key)
}

// operate runs an operator command without arguments.
func (g *griot) operate(ctx context.Context, folder, name string) error {
	client, err := g.operator(folder)
	if err == nil {
		_, err = step{name, map[string]any{}}.run(ctx, client)
	}
	return err
}

// fill creates the accounts through the program.
func (p *prepared) fill(ctx context.Context, g *griot, webhooks bool) error {
	client, err := g.operator(p.folder)
	if err != nil {
		return err
	}
	endpoint := p.s.endpoint
	if endpoint == nil {
		endpoint = func(int) string { return "http://" + p.s.bare.address + webhookPath }
	}
	gateway := "virtual"
	if p.s.gateway != "" {
		gateway = "slow"
		if _, err := (step{"gateways.add", map[string]any{"name": gateway, "kind": "httpsms", "settings": slowSettings(p.s.gateway)}}).run(ctx, client); err != nil {
			return fmt.Errorf("gateways.add: %w", err)
		}
	}
	for n := range p.s.accounts {
		email := fmt.Sprintf("bench-%d@example.com", n)
		steps := []step{
			{"accounts.create", map[string]any{"name": "Bench", "email": email, "plan": "unlimited"}},
			{"senders.add", map[string]any{"account": email, "channel": "sms", "address": fmt.Sprint(22371000000 + n), "gateway": gateway}},
			{"api-keys.create", map[string]any{"account": email, "kind": "live"}},
		}
		if webhooks {
			steps = append(steps, step{"webhooks.set", map[string]any{"account": email, "url": endpoint(n)}})
		}
		for _, step := range steps {
			answer, err := step.run(ctx, client)
			if err != nil {
				return fmt.Errorf("%s: %w", step.verb, err)
			}
			if answer.Key != "" {
				p.keys = append(p.keys, answer.Key)
			}
		}
	}
	return nil
}

// step is one operator command.
type step struct {
	verb string
	in   map[string]any
}

func (s step) run(ctx context.Context, client *verb.Client) (answer struct{ Key string }, err error) {
	body, err := json.Marshal(s.in)
	if err != nil {
		return answer, err
	}
	raw, err := client.Call(ctx, s.verb, body)
	if err != nil {
		return answer, err
	}
	err = json.Unmarshal(raw, &answer)
	return answer, err
}

// running is a program on its own copy of a prepared database.
type running struct {
	*griot
	of       *prepared
	folder   string
	database string
}

func (p *prepared) start(ctx context.Context) (*running, error) {
	r := &running{of: p}
	var err error
	if r.folder, err = os.MkdirTemp(p.s.o.dir, "run-"); err != nil {
		return nil, err
	}
	if err := os.CopyFS(r.folder, os.DirFS(p.folder)); err != nil {
		return nil, err
	}
	if p.database != "" {
		if r.database, err = p.s.server.create(ctx, p.database); err != nil {
			return nil, err
		}
	}
	r.griot, err = startGriot(ctx, []string{withoutHistory}, p.path, r.folder, p.databaseFlag(r.database)...)
	if err != nil {
		return nil, errors.Join(err, r.remove(ctx))
	}
	return r, nil
}

// url returns the address of the program's database.
func (r *running) url() string {
	if r.database != "" {
		return r.of.s.server.at(r.database)
	}
	return "sqlite:" + filepath.Join(r.folder, "griot.db")
}

// check compares the messages that the program has stored, after it has ended.
func (r *running) check(ctx context.Context, answered, underWay int64) (waiting int64, err error) {
	return check(ctx, r.url(), answered, underWay)
}

// remove removes the copy after the program has ended.
func (r *running) remove(ctx context.Context) error {
	err := os.RemoveAll(r.folder)
	if r.database != "" {
		err = errors.Join(err, r.of.s.server.drop(ctx, r.database))
	}
	return err
}
