package main

import (
	"bytes"
	"fmt"
	"strconv"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/messaging/delivery"
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

	batch                                       int  // messages of a request to /api/send/batch; 0: each request sends one message
	atStart                                     bool // the first seconds of the program are measured
	resumes                                     bool // the messages wait until sending is resumed
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
			{Name: "first five seconds", Target: "≤ 1.05 of the processor time later", atStart: true},
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
	return append(append(all, batches(engine)...), o.queue(engine))
}

const batchSize = delivery.MaxBatch // messages of a batch

// batches returns the scenarios with batches for an engine.
func batches(engine db.Engine) (all []*scenario) {
	target := ""
	if engine == db.SQLite {
		target = "≥ 0.50 of composite limit"
	}
	for _, callers := range []int{1, 4, 16} {
		of := fmt.Sprintf("batches, %s, %d callers", engine, callers)
		if callers == 1 {
			of = fmt.Sprintf("batches, %s, 1 caller", engine)
		}
		for _, s := range []*scenario{{Name: of + ", one account", hot: true}, {Name: fmt.Sprintf("%s, %d accounts", of, accounts)}} {
			s.Engine, s.Connections, s.Target, s.batch = engine, callers, target, batchSize
			all = append(all, s)
		}
	}
	return all
}

// messages returns the number of messages of a request.
func (s *scenario) messages() int { return max(s.batch, 1) }

// message appends the body of the message with a number to b.
func (s *scenario) message(b []byte, n int) []byte {
	b = append(b, `{"to":"+`...)
	b = strconv.AppendInt(b, s.recipient(n), 10)
	return append(b, `","channel":"sms","message":"Votre commande 2041 est en route."}`...)
}

// recipient returns the recipient of the message with a number.
func (s *scenario) recipient(n int) int64 {
	const first = 22376000000
	if s.oneRecipient {
		return first
	}
	return first + int64(n%recipients)
}

// request returns the number of a connection's request. Its messages have the numbers from
// request*messages.
func (s *scenario) request(conn, turn int) int { return turn*s.Connections + conn }

// body appends the body of the request with a number to b.
func (s *scenario) body(b []byte, request int) []byte {
	if s.batch == 0 {
		return s.message(b, request)
	}
	b = append(b, `{"messages":[`...)
	for i := range s.batch {
		if i > 0 {
			b = append(b, ',')
		}
		b = s.message(b, request*s.batch+i)
	}
	return append(b, `]}`...)
}

// plan returns the requests of the accounts with these keys. most is the number of requests of a connection;
// 0: unlimited.
func (s *scenario) plan(keys []string, most int) plan {
	if s.hot {
		keys = keys[:1]
	}
	path := sendPath
	if s.batch > 0 {
		path = batchPath
	}
	return func(conn, turn int, b []byte) []byte {
		if most > 0 && turn == most {
			return nil
		}
		var room [128]byte
		n := s.request(conn, turn)
		body := s.body(room[:0], n)
		auth := "Authorization: Bearer " + keys[n%len(keys)]
		if !s.keys {
			return request(b, "POST", path, body, auth)
		}
		return request(b, "POST", path, body, auth, fmt.Sprintf("Idempotency-Key: %d-%d", conn, turn))
	}
}

// Paths of the API.
const (
	sendPath  = "/api/send"
	batchPath = "/api/send/batch"
)

// allAccepted is the beginning of the response to a batch without refused or failed messages.
const allAccepted = `{"success":true,`

// right reports whether all messages of a request were accepted.
func (s *scenario) right(body []byte) bool {
	return s.batch == 0 || bytes.HasPrefix(body, []byte(allAccepted))
}

const (
	// settleTime is the time after the start of a program when it has settled. It is then idle, unless it is loaded.
	settleTime = 6 * time.Second
	// firstTime is the time after the start of a program in which a scenario measures its first seconds.
	firstTime = 5 * time.Second
)

// windows returns what is measured of a load that starts now, in a round of a duration. started is when the program was
// started; zero: the counterpart of a program.
func (s *scenario) windows(started time.Time, round time.Duration) []window {
	now := time.Now()
	settled := started.Add(settleTime)
	switch {
	case started.IsZero():
		return after(min(warmUp, round), round)
	case settled.Before(now):
		settled = now
	}
	windows := []window{{settled, settled.Add(round)}}
	if s.atStart {
		return append([]window{{now, started.Add(firstTime)}}, windows...)
	}
	return windows
}
