package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/id"
	"example.com/griot/internal/seal"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/message"
)

const (
	pagesMessages = 100_000 // of the account, over pagesDays
	pagesDays     = 29
	pagesConns    = 1 // so that the time of an answer is measured and not that of a queue
)

// pages measures pages of the dashboard beside the JSON of their queries, for an account with many messages, on SQLite.
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
	cookie  string
	from    string // the time of the first message
	message string // the id of one
}

func (s *pagesSite) get(path string) plan {
	return func(_, _ int, b []byte) []byte {
		return request(b, "GET", path, nil, "Cookie: "+s.cookie, "Accept: text/html")
	}
}

// startPages lets the program make its database, fills it while nobody uses it, and starts the program again.
func startPages(ctx context.Context, o *options, messages int) (*pagesSite, error) {
	dir := filepath.Join(o.dir, "pages")
	g, err := startGriot(ctx, []string{withoutHistory}, o.binary, dir)
	if err != nil {
		return nil, err
	}
	g.stop()
	s := &pagesSite{}
	if err := s.prepare(ctx, dir, g.Accounts.Unlimited.ID, messages); err != nil {
		return nil, err
	}
	s.griot, err = startGriot(ctx, []string{withoutHistory}, o.binary, dir)
	return s, err
}

// showMessages fails unless the pages show the messages that were stored: others are not worth measuring.
func (s *pagesSite) showMessages(ctx context.Context) error {
	for path, want := range map[string]string{
		"/dashboard": ">100\u00a0%", "/dashboard/logs": s.message, "/dashboard/messages/" + s.message: s.message, "/api/status/" + s.message: "DELIVERED",
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

func (s *pagesSite) prepare(ctx context.Context, dir, accountID string, messages int) (err error) {
	d, err := db.Open(ctx, "sqlite:"+filepath.Join(dir, "griot.db"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	text, err := os.ReadFile(filepath.Join(dir, "master.key"))
	if err != nil {
		return err
	}
	master, err := seal.ParseKey(strings.TrimSpace(string(text)))
	if err != nil {
		return err
	}
	directory := account.NewDirectory(d, clock.System)
	a, err := directory.Account(ctx, accountID)
	if err != nil {
		return err
	}
	engine := delivery.New(delivery.Options{
		DB: d, Key: master, Directory: directory, Gateways: gateway.NewSet(nil), Presets: message.Presets{}, Now: clock.System, Log: slog.New(slog.DiscardHandler),
	})
	return errors.Join(s.fill(ctx, d, a, engine, messages), s.signIn(ctx, d, a))
}

// fill stores messages as if they had been sent and delivered in the last days.
func (s *pagesSite) fill(ctx context.Context, d *db.DB, a *account.Account, engine *delivery.Service, messages int) error {
	caller := &account.Caller{Account: a, Kind: account.Live}
	at := clock.System().Add(-pagesDays * 24 * time.Hour)
	s.from = at.UTC().Format(time.RFC3339)
	each := pagesDays * 24 * time.Hour / time.Duration(messages)
	for from := 0; from < messages; from += fillSize {
		all := make([]*delivery.Past, min(fillSize, messages-from))
		for i := range all {
			at = at.Add(each)
			all[i] = &delivery.Past{
				Caller: caller, At: at,
				Request: &message.Request{
					To: fmt.Sprint(22376000000 + (from+i)%recipients), Channel: gateway.SMS, Source: message.SourceAPI,
					Content: message.Content{Text: "Votre commande 2041 est en route."},
				},
				Events: []delivery.PastEvent{
					{Kind: delivery.PastTaken, At: at.Add(time.Second)},
					{Kind: delivery.PastReceipt, At: at.Add(5 * time.Second), Status: message.Delivered},
				},
				AlsoStore: func(_ *db.Tx, m *message.Message) error {
					s.message = m.ID
					return nil
				},
			}
		}
		if err := d.Write(ctx, func(tx *db.Tx) error { return engine.Import(tx, all) }); err != nil {
			return err
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
