package main

import (
	"fmt"
	"strconv"

	"example.com/griot/internal/db"
)

const (
	accounts   = 100    // of a program under test
	recipients = 10_000 // of all messages
)

// scenario is one way of sending, with its goal and its measurements.
type scenario struct {
	Name        string     `json:"name"`
	Engine      db.Engine  `json:"engine"`
	Connections int        `json:"connections"`
	Target      string     `json:"target"`
	Subjects    []*subject `json:"subjects"`
	Compared    *compared  `json:"compared,omitempty"`

	hot, keys, oneRecipient, receipts, webhooks bool
}

// scenarios returns the scenarios for an engine.
func (o *options) scenarios(engine db.Engine) (all []*scenario) {
	for _, conns := range o.sendConns {
		plain, keys, receipts, postgres := "≥ 15,000/s, p99 < 13 ms", "≥ 11,000/s", "≥ 11,000/s", ""
		if conns >= 256 {
			plain = "≥ 18,000/s"
		}
		if engine == db.Postgres {
			postgres = "≥ 9,500/s, ≥ 1.1 of bare insert"
			if conns >= 256 {
				postgres = "≥ 12,000/s, ≥ 1.1 of bare insert"
			}
			plain, keys, receipts = postgres, "", ""
		}
		for _, s := range []*scenario{
			{Name: "plain", Target: plain},
			{Name: "one account", Target: postgres, hot: true},
			{Name: "idempotency keys", Target: keys, keys: true},
			{Name: "receipts", Target: receipts, receipts: true},
			{Name: "one recipient", oneRecipient: true},
			{Name: "webhooks", Target: postgres, webhooks: true},
			{Name: "webhooks, receipts", receipts: true, webhooks: true},
		} {
			s.Name = fmt.Sprintf("send, %s, %d connections, %s", engine, conns, s.Name)
			s.Engine, s.Connections = engine, conns
			all = append(all, s)
		}
	}
	return all
}

// message appends the body of a message to b.
func (s *scenario) message(b []byte, conn, turn int) []byte {
	b = append(b, `{"to":"+`...)
	b = strconv.AppendInt(b, s.recipient(conn, turn), 10)
	return append(b, `","channel":"sms","message":"Votre commande 2041 est en route."}`...)
}

func (s *scenario) recipient(conn, turn int) int64 {
	const first = 22376000000
	if s.oneRecipient {
		return first
	}
	return first + int64((turn*s.Connections+conn)%recipients)
}

// plan returns the requests of the accounts with these keys. most is the number of requests of a connection;
// 0: unlimited.
func (s *scenario) plan(keys []string, most int) plan {
	if s.hot {
		keys = keys[:1]
	}
	return func(conn, turn int, b []byte) []byte {
		if most > 0 && turn == most {
			return nil
		}
		var room [128]byte
		body := s.message(room[:0], conn, turn)
		auth := "Authorization: Bearer " + keys[(turn*s.Connections+conn)%len(keys)]
		if !s.keys {
			return request(b, "POST", "/api/send", body, auth)
		}
		return request(b, "POST", "/api/send", body, auth, fmt.Sprintf("Idempotency-Key: %d-%d", conn, turn))
	}
}
