package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"example.com/griot/internal/db"
)

const (
	serveLimitCommand = "serve-limit"
	limitBatch        = 256 // rows per transaction
	limitBody         = 4096
)

// serveLimit is the composite limit of a send: a plain net/http handler that reads the body, inserts it as a row,
// updates that row, and responds. Each of the two writes is durable before the next step. One transaction writes all
// queued rows.
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
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limitBody))
		row := newRow(string(body))
		if err == nil {
			err = inserts.write(row)
		}
		if err == nil {
			err = updates.write(row)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		writeAnswer(w, row.id)
	}))
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

// batcher writes rows together. Rows that arrive while a batch is being written go into the next one.
type batcher struct {
	db  *db.DB
	run func(*db.Tx, []*row) error

	mu      sync.Mutex
	waiting []*entry
	running bool
}

type entry struct {
	row  *row
	done chan error
}

// write returns after the row is durable.
func (b *batcher) write(r *row) error {
	e := &entry{r, make(chan error, 1)}
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

func (b *batcher) loop() {
	for {
		b.mu.Lock()
		n := min(len(b.waiting), limitBatch)
		batch := b.waiting[:n:n]
		b.waiting = b.waiting[n:]
		b.running = n > 0
		b.mu.Unlock()
		if n == 0 {
			return
		}
		rows := make([]*row, n)
		for i, e := range batch {
			rows[i] = e.row
		}
		err := b.db.Write(context.Background(), func(tx *db.Tx) error { return b.run(tx, rows) })
		for _, e := range batch {
			e.done <- err
		}
	}
}
