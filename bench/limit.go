package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"example.com/griot/internal/db"
)

const (
	serveLimitCommand = "serve-limit"
	limitRows         = 256 // rows per transaction, unless one request has more
	limitBody         = 64 << 10
)

// serveLimit is the composite limit of a send: a plain net/http handler that reads the body, inserts a row for each
// message, updates these rows, and responds. Each of the two writes is durable before the next step. One transaction
// writes the rows of all waiting requests.
func serveLimit(ctx context.Context, out io.Writer, args []string) (err error) {
	if len(args) != 1 {
		return errors.New(serveLimitCommand + " needs the address of a database")
	}
	d, err := openRows(ctx, args[0])
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	write := statementsOf(d.Engine())
	inserts, updates := &batcher{db: d, run: write.insert}, &batcher{db: d, run: write.update}
	return serve(ctx, out, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rows, err := limitRowsOf(w, r)
		if err == nil {
			err = inserts.write(rows)
		}
		if err == nil {
			err = updates.write(rows)
		}
		switch {
		case err != nil:
			http.Error(w, err.Error(), http.StatusInternalServerError)
		case r.URL.Path == batchPath:
			writeBatchAnswer(w, rows)
		default:
			writeAnswer(w, rows[0].id)
		}
	}))
}

// limitRowsOf returns a row for each message of a request.
func limitRowsOf(w http.ResponseWriter, r *http.Request) ([]*row, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limitBody))
	if err != nil || r.URL.Path != batchPath {
		return []*row{newRow(string(body))}, err
	}
	var batch struct{ Messages []json.RawMessage }
	if err := json.Unmarshal(body, &batch); err != nil {
		return nil, err
	}
	rows := make([]*row, len(batch.Messages))
	for i, message := range batch.Messages {
		rows[i] = newRow(string(message))
	}
	return rows, nil
}

// writeBatchAnswer writes the response of a batch.
func writeBatchAnswer(w http.ResponseWriter, rows []*row) {
	type item struct {
		Index      int    `json:"index"`
		Success    bool   `json:"success"`
		HTTPStatus int    `json:"httpStatus"`
		MessageID  string `json:"messageId"`
		Status     string `json:"status"`
	}
	answer := struct {
		Success bool   `json:"success"`
		Results []item `json:"results"`
	}{true, make([]item, len(rows))}
	for i, row := range rows {
		answer.Results[i] = item{i, true, http.StatusOK, row.id, "SENT"}
	}
	body, _ := json.Marshal(&answer)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body)
}

// serve prints its address and serves it until ctx ends.
func serve(ctx context.Context, out io.Writer, h http.Handler) error {
	var c net.ListenConfig
	l, err := c.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(out, l.Addr()); err != nil {
		return err
	}
	s := &http.Server{ReadHeaderTimeout: time.Minute, Handler: h}
	context.AfterFunc(ctx, func() { _ = s.Close() })
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

type limitServer struct {
	*child
	address string
}

func startLimit(ctx context.Context, database string) (*limitServer, error) {
	c, address, err := startSelf(ctx, serveLimitCommand, database)
	return &limitServer{c, address}, err
}

// batcher writes rows together. Rows that arrive while others are being written go into the next transaction.
type batcher struct {
	db  *db.DB
	run func(*db.Tx, []*row) error

	mu      sync.Mutex
	waiting []*entry
	running bool
}

// entry has the rows of a request, which are in one transaction.
type entry struct {
	rows []*row
	done chan error
}

// write returns after the rows are durable.
func (b *batcher) write(rows []*row) error {
	e := &entry{rows, make(chan error, 1)}
	b.mu.Lock()
	b.waiting = append(b.waiting, e)
	first := !b.running
	b.running = true
	b.mu.Unlock()
	if first {
		go b.loop()
	}
	return <-e.done
}

// next removes the entries of the next transaction, and returns them and their rows; none if nothing waits.
func (b *batcher) next() (entries []*entry, rows []*row) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := 0
	for n < len(b.waiting) && (n == 0 || len(rows)+len(b.waiting[n].rows) <= limitRows) {
		rows = append(rows, b.waiting[n].rows...)
		n++
	}
	entries, b.waiting = b.waiting[:n:n], b.waiting[n:]
	b.running = n > 0
	return entries, rows
}

func (b *batcher) loop() {
	for entries, rows := b.next(); len(entries) > 0; entries, rows = b.next() {
		err := b.db.Write(context.Background(), func(tx *db.Tx) error { return b.run(tx, rows) })
		for _, e := range entries {
			e.done <- err
		}
	}
}
