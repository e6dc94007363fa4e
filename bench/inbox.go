package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"strconv"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
	"example.com/griot/internal/seal"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/api"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/inbox"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/webhooks"
)

const (
	inboxSmall = 10_000 // messages
	inboxLarge = 1_000_000
	perContact = 10
	inboxConns = 4 // few, so that the response time is measured and not the time in a queue
)

// inboxGrowth measures the same requests with a small and with a large inbox, on SQLite, served from this process.
func (r *report) inboxGrowth(ctx context.Context, _ *griot) error {
	if !r.wants("inbox growth") {
		return nil
	}
	small, err := startInbox(ctx, r.o.dir, inboxSmall)
	if err != nil {
		return err
	}
	defer small.stop()
	large, err := startInbox(ctx, r.o.dir, inboxLarge)
	if err != nil {
		return err
	}
	defer large.stop()
	for _, ask := range []struct {
		name string
		plan func(*inboxSite) plan
	}{
		{"conversations", func(s *inboxSite) plan { return s.get(func(int) string { return "/api/inbox/conversations" }) }},
		{"conversations, deep", func(s *inboxSite) plan {
			return s.get(func(n int) string { return "/api/inbox/conversations?cursor=" + s.cursors[n%len(s.cursors)] })
		}},
		{"conversations, filtered", func(s *inboxSite) plan { return s.get(func(int) string { return "/api/inbox/conversations?q=nobody" }) }},
		{"messages", func(s *inboxSite) plan {
			return s.get(func(n int) string { return "/api/inbox/conversations/" + s.ids[n%len(s.ids)] + "/messages" })
		}},
		{"revision", func(s *inboxSite) plan { return s.get(func(int) string { return "/api/inbox/revision" }) }},
	} {
		few, many := &result{}, &result{}
		for range turns {
			for _, m := range []struct {
				total *result
				site  *inboxSite
			}{{few, small}, {many, large}} {
				res, err := load(ctx, m.site.address, inboxConns, r.o.seconds/turns, ask.plan(m.site))
				if err != nil {
					return err
				}
				m.total.add(res)
			}
		}
		ratio := float64(many.p(0.99)) / float64(few.p(0.99))
		r.line("inbox growth: "+ask.name, ms(many.p(0.99)), fmt.Sprintf("%.2f", ratio), fmt.Sprintf("p99 at a million messages, ≤ 1.5 of that at ten thousand  [%s; p50 %s and %s]", ms(few.p(0.99)), ms(many.p(0.5)), ms(few.p(0.5))))
	}
	return nil
}

// inboxSite is an account with an inbox, and the server for it.
type inboxSite struct {
	site
	key     string
	ids     []string // some conversations
	cursors []string // of pages far down
}

func (s *inboxSite) get(path func(n int) string) plan {
	auth := "X-API-Key: " + s.key
	return func(conn, turn int, b []byte) []byte { return request(b, "GET", path(turn*inboxConns+conn), nil, auth) }
}

func startInbox(ctx context.Context, dir string, messages int) (*inboxSite, error) {
	d, err := db.Open(ctx, "sqlite:"+filepath.Join(dir, "inbox-"+strconv.Itoa(messages)+".db"))
	if err != nil {
		return nil, err
	}
	s := &inboxSite{site: site{db: d}}
	if _, err := d.Migrate(ctx); err != nil {
		return nil, err
	}
	directory := account.NewDirectory(d, clock.System)
	a, err := directory.Create(ctx, &account.Spec{Name: "Bench", Email: "bench@example.com", Plan: "unlimited", Senders: []account.Sender{{Channel: gateway.WhatsApp, Address: "22370000001", Gateway: "none"}}})
	if err != nil {
		return nil, err
	}
	if s.key, err = directory.CreateKey(ctx, a.ID, "", account.Live); err != nil {
		return nil, err
	}
	if s.ids, err = fillInbox(ctx, d, a, messages); err != nil {
		return nil, err
	}
	master, err := seal.ParseKey(seal.NewMasterKey())
	if err != nil {
		return nil, err
	}
	log := slog.New(slog.DiscardHandler)
	box := inbox.New(inbox.Options{DB: d, Key: master, Directory: directory, Now: clock.System, Log: log})
	for q := (inbox.Query{Limit: inbox.MaxLimit}); ; {
		page, err := box.Conversations(ctx, &account.Caller{Account: a, Kind: account.Live}, &q)
		if err != nil {
			return nil, err
		}
		if q.Cursor = page.Next; page.Next == "" {
			break
		}
		s.cursors = append(s.cursors, page.Next)
	}
	service, err := api.New(api.Options{
		Directory: directory, Messages: &message.Reader{DB: d, Directory: directory, Now: clock.System}, Inbox: box, Now: clock.System, Log: log, URL: "http://127.0.0.1",
		Delivery:  delivery.New(delivery.Options{DB: d, Key: master, Directory: directory, Presets: message.Presets{}, Now: clock.System, Log: log}),
		Endpoints: &webhooks.Endpoints{},
	})
	if err != nil {
		return nil, err
	}
	return s, s.serve(ctx, service.Handler())
}

const fillSize = 10_000 // messages per transaction

// fillInbox writes messages of many contacts, in chronological order, and returns the ids of the conversations.
func fillInbox(ctx context.Context, d *db.DB, a *account.Account, messages int) (ids []string, err error) {
	contacts := messages / perContact
	start := clock.System().Add(-time.Hour)
	for i := range contacts {
		ids = append(ids, id.Conversation+id.New(start.Add(time.Duration(i)*time.Millisecond)))
	}
	for from := 0; from < messages; from += fillSize {
		keys := make([]string, min(fillSize, messages-from))
		for i := range keys {
			keys[i] = id.New(start.Add(time.Duration(from+i) * time.Millisecond))
		}
		err := d.Write(ctx, func(tx *db.Tx) error {
			for i, key := range keys {
				n := from + i
				err := tx.Queue(nil, `INSERT INTO inbox_messages (id, account_id, conversation_id, direction, channel, type, content, from_address, sender_id, provider_id, revision, at)
 VALUES ($1, $2, $3, 'in', 'whatsapp', 'text', $4, $5, $6, $1, $7, $8)`, id.Message+key, a.ID, ids[n%contacts], "Bonjour, où en est ma commande ?", fmt.Sprint(22380000000+n%contacts),
					a.Senders[0].ID, n+1, start.UnixMilli()+int64(n))
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return ids, d.Write(ctx, func(tx *db.Tx) error {
		for i, conversation := range ids {
			err := tx.Queue(nil, `INSERT INTO conversations (id, account_id, person, phone, sender_id, name, last_at, last_preview, unread, read_to) VALUES ($1, $2, $3, $3, $4, 'Awa', $5, 'Bonjour', $6, 0)`,
				conversation, a.ID, fmt.Sprint(22380000000+i), a.Senders[0].ID, start.UnixMilli()+int64(messages-contacts+i), perContact)
			if err != nil {
				return err
			}
		}
		_, err := tx.Exec(`INSERT INTO inbox_states (account_id, revision, unread) VALUES ($1, $2, $2)`, a.ID, messages)
		return err
	})
}

// assistant measures a read-only tool, and compares it with a bare handler.
func (r *report) assistant(ctx context.Context, g *griot) error {
	if !r.wants("assistant") {
		return nil
	}
	if err := g.receive(ctx); err != nil {
		return err
	}
	if err := r.inTurns(ctx, "bare net/http JSON handler", "/", "assistant: ping", host(g.BaseURL), g.askAssistant("ping"), "of bare handler, ≥ 0.30"); err != nil {
		return err
	}
	bareBefore, before := r.bareServer.cpu(), g.cpu()
	if err := r.inTurns(ctx, "bare net/http JSON handler", "/", "assistant: list_conversations", host(g.BaseURL), g.askAssistant("list_conversations"), "of bare handler, ≥ 0.30; ten conversations"); err != nil {
		return err
	}
	bare, own := r.bareServer.cpu()-bareBefore, g.cpu()-before
	// Both had the same time and the same client. On a machine with other work, processor time is more reliable than
	// requests per second.
	r.line("  processor time, both", fmt.Sprintf("%.1f s, %.1f s", bare.Seconds(), own.Seconds()), "", "of the bare handler and of Griot, for what they answered")
	return nil
}

// receive sends messages from ten phones to the demo account.
func (g *griot) receive(ctx context.Context) error {
	for i := range 10 {
		body := fmt.Sprintf(`{"channel":"whatsapp","to":%q,"text":"Bonjour, où en est ma commande ?","displayName":"Awa"}`, g.Accounts.Business.WhatsAppNumber)
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.BaseURL+"/dev/phones/2237600000"+strconv.Itoa(i)+"/messages", bytes.NewReader([]byte(body)))
		if err != nil {
			return err
		}
		req.Header.Set("Content-Type", "application/json")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		if _ = res.Body.Close(); res.StatusCode != http.StatusCreated {
			return errors.New("a phone could not write: " + res.Status)
		}
	}
	return nil
}

// askAssistant returns requests of a tool, or of ping.
func (g *griot) askAssistant(name string) plan {
	body := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + name + `","arguments":{}}}`)
	if name == "ping" {
		body = []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	}
	auth := "Authorization: Bearer " + g.Accounts.Business.LiveKey
	return func(_, _ int, b []byte) []byte { return request(b, "POST", "/mcp", body, auth) }
}
