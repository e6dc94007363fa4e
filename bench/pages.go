package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/id"
	"example.com/griot/internal/seal"
	"example.com/griot/messaging/account"
)

const (
	pagesMessages = 100_000 // of the account, over pagesDays
	pagesDays     = 29
	pagesConns    = 1 // so that the response time is measured and not the time in a queue
)

// pages measures pages of the dashboard, and compares them with the JSON of their queries, for an account with many
// messages, on SQLite.
func (r *report) pages(ctx context.Context, _ *griot) error {
	if !r.wants("pages") {
		return nil
	}
	s, err := startPages(ctx, r.o, pagesMessages)
	if err != nil {
		return err
	}
	defer s.stop()
	if err := s.showMessages(ctx); err != nil {
		return err
	}
	for _, p := range []struct {
		name, page string
		queries    []string
	}{
		{"overview", "/dashboard", []string{"/api/me", "/api/stats?step=day&from=" + s.from}},
		{"logs", "/dashboard/logs", []string{"/api/svc-logs?limit=50"}},
		{"message", "/dashboard/messages/" + s.message, []string{"/api/status/" + s.message}},
		{"codes", "/dashboard/codes", []string{"/api/otp/stats"}},
	} {
		page, queries := &result{}, make([]*result, len(p.queries))
		for range turns {
			for i, path := range append([]string{p.page}, p.queries...) {
				res, err := load(ctx, host(s.BaseURL), pagesConns, r.o.seconds/turns, s.get(path))
				if err != nil {
					return err
				}
				switch {
				case i == 0:
					page.add(res)
				case queries[i-1] == nil:
					queries[i-1] = res
				default:
					queries[i-1].add(res)
				}
			}
		}
		var all time.Duration
		for _, q := range queries {
			all += q.p(0.95)
		}
		r.line("pages: "+p.name, ms(page.p(0.95)), fmt.Sprintf("%.2f", float64(page.p(0.95))/float64(all)),
			fmt.Sprintf("p95 at a hundred thousand messages, ≤ 2 of its queries' JSON, or 2 ms more  [%s: %s]", ms(all), strings.Join(p.queries, ", ")))
	}
	return nil
}

// pagesSite is a `griot dev` with an account that has many messages, and a session of its owner.
type pagesSite struct {
	*griot
	binary, dir string
	url         string   // the database; empty: a file in dir
	env         []string // the program's variables

	cookie  string
	from    string // time of the first message
	message string // the id of one message

	conversations []string // ids of conversations in the inbox
}

func (s *pagesSite) get(path string) plan {
	return func(_, _ int, b []byte) []byte {
		return request(b, "GET", path, nil, "Cookie: "+s.cookie, "Accept: text/html")
	}
}

// startPages stores messages of the last days, and starts the program.
func startPages(ctx context.Context, o *options, messages int) (*pagesSite, error) {
	s := &pagesSite{dir: filepath.Join(o.dir, "pages"), binary: o.binary}
	length := pagesDays * 24 * time.Hour
	err := s.prepare(ctx, func(h *history) error {
		return h.fill(ctx, clock.System().Add(-length), length/time.Duration(messages), messages)
	})
	if err != nil {
		return nil, err
	}
	return s, s.start(ctx)
}

// prepare makes the program create its database, and fills it while no program uses it.
func (s *pagesSite) prepare(ctx context.Context, fill func(*history) error) error {
	if err := s.start(ctx); err != nil {
		return err
	}
	s.stop()
	h, err := openHistory(ctx, s)
	if err != nil {
		return err
	}
	err = fill(h)
	if err == nil {
		err = s.signIn(ctx, h.db, h.account)
	}
	s.message, s.from = h.message, h.from.UTC().Format(time.RFC3339)
	return errors.Join(err, h.db.Close())
}

// start starts the program.
func (s *pagesSite) start(ctx context.Context) (err error) {
	env := append([]string{withoutHistory}, s.env...)
	if s.url == "" {
		s.griot, err = startGriot(ctx, env, s.binary, s.dir)
		return err
	}
	s.griot, err = startGriot(ctx, env, s.binary, s.dir, "--database", s.url)
	return err
}

// database returns the address of the program's database.
func (s *pagesSite) database() string {
	return cmp.Or(s.url, "sqlite:"+filepath.Join(s.dir, "griot.db"))
}

// showMessages returns an error unless the pages show the stored messages, because other results are invalid.
func (s *pagesSite) showMessages(ctx context.Context) error {
	for path, want := range map[string]string{
		"/dashboard": ">100\u202f%", "/dashboard/logs": s.message, "/dashboard/messages/" + s.message: s.message, "/api/status/" + s.message: "DELIVERED",
	} {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.BaseURL+path, http.NoBody)
		if err != nil {
			return err
		}
		req.Header.Set("Cookie", s.cookie)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		body, err := io.ReadAll(res.Body)
		if err := errors.Join(err, res.Body.Close()); err != nil {
			return err
		}
		if res.StatusCode != http.StatusOK || !strings.Contains(string(body), want) {
			return fmt.Errorf("%s: got %d %s, want 200 with %q", path, res.StatusCode, body, want)
		}
	}
	return nil
}

// signIn stores a session of the account's owner.
func (s *pagesSite) signIn(ctx context.Context, d *db.DB, a *account.Account) error {
	token, now := strings.Repeat("b", httpx.TokenLength), clock.System()
	s.cookie = "svc_account=" + token
	return d.Write(ctx, func(tx *db.Tx) error {
		_, err := tx.Exec(`INSERT INTO account_sessions (id, email, account_id, token_hash, created_at, expires_at, code_at) VALUES ($1, $2, $3, $4, $5, $6, $5)`,
			id.New(now), a.Email, a.ID, seal.Hash(token), db.Ms(now), db.Ms(now.Add(account.SessionTime)))
		return err
	})
}
