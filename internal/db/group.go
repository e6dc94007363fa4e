package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"example.com/griot/internal/clock"
)

const (
	groupSize  = 256
	groupQueue = 1024
)

// ErrClosed is returned by Writes after Close.
var ErrClosed = errors.New("db: closed")

// group is SQLite's only writer. It runs up to 256 queued Writes in one transaction.
// The first attempt is without savepoints. If one of the closures fails, everything is
// rolled back and run again with a savepoint for each, so that only the failed one is
// undone.
type group struct {
	db     *DB
	queue  chan *call
	alone  chan func()  // functions to run between two transactions
	mu     sync.RWMutex // held for reading while queueing, so that close can wait
	closed bool
	ended  chan struct{}
	start  sync.Once

	conn  *sql.Conn
	stmts map[string]*statement
	raw   executor

	written int64          // pages since the log was last copied
	copying atomic.Bool    // another connection copies the log
	copies  sync.WaitGroup // of those connections
}

type call struct {
	fn    func(*Tx) error
	ctx   context.Context
	state atomic.Int32
	done  chan struct{}
	err   error
	panic any
}

const (
	waiting int32 = iota
	claimed
	givenUp
)

func newGroup(d *DB) *group {
	return &group{db: d, queue: make(chan *call, groupQueue), alone: make(chan func()), ended: make(chan struct{}), stmts: map[string]*statement{}}
}

func (g *group) write(ctx context.Context, fn func(*Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	g.start.Do(func() { go g.loop() })
	c := &call{fn: fn, ctx: ctx, done: make(chan struct{})}
	if err := g.enqueue(c); err != nil {
		return err
	}
	if ended := ctx.Done(); ended != nil {
		select {
		case <-c.done:
		case <-ended:
			if c.state.CompareAndSwap(waiting, givenUp) {
				return ctx.Err()
			}
		}
	}
	<-c.done
	if c.panic != nil {
		panic(c.panic) // in the caller's goroutine, as on PostgreSQL
	}
	return c.err
}

func (g *group) enqueue(c *call) error {
	g.mu.RLock()
	defer g.mu.RUnlock()
	if g.closed {
		return wrap(ErrClosed)
	}
	select { // alone, this costs a fraction of the one below
	case g.queue <- c:
		return nil
	default:
	}
	select {
	case g.queue <- c:
		return nil
	case <-c.ctx.Done():
		return c.ctx.Err()
	}
}

// close ends the loop after the queued Writes.
func (g *group) close() {
	g.mu.Lock()
	closed := g.closed
	g.closed = true
	g.mu.Unlock()
	if closed {
		return
	}
	g.start.Do(func() { go g.loop() })
	close(g.queue)
	<-g.ended
	g.copies.Wait()
}

func (g *group) loop() {
	defer close(g.ended)
	defer g.disconnect()
	batch := make([]*call, 0, groupSize)
	for {
		var c *call
		var ok bool
		select {
		case c, ok = <-g.queue:
		case fn := <-g.alone:
			fn()
			continue
		}
		if !ok {
			return
		}
		batch = add(batch[:0], c)
	fill:
		for len(batch) < groupSize {
			select {
			case c, ok := <-g.queue:
				if !ok {
					break fill
				}
				batch = add(batch, c)
			default:
				break fill
			}
		}
		if len(batch) == 0 {
			continue
		}
		g.commit(batch)
		for i, c := range batch {
			close(c.done)
			batch[i] = nil
		}
		g.checkpoint()
	}
}

func add(batch []*call, c *call) []*call {
	if c.state.CompareAndSwap(waiting, claimed) {
		batch = append(batch, c)
	}
	return batch
}

// commit runs the batch and stores each call's result in the call.
func (g *group) commit(batch []*call) {
	err := g.runBatch(batch, false)
	if errors.Is(err, errNeedSavepoints) {
		err = g.runBatch(batch, true)
	}
	g.db.recordOutcome(err)
	for _, c := range batch {
		g.db.recordOutcome(c.err)
	}
	if err != nil { // the transaction itself failed, so nothing is stored
		for _, c := range batch {
			if c.err == nil && c.panic == nil {
				c.err = wrap(err)
			}
		}
	}
}

// errNeedSavepoints is returned if a closure failed in a batch without savepoints.
var errNeedSavepoints = errors.New("db: run the batch again with savepoints")

func (g *group) runBatch(batch []*call, savepoints bool) (err error) {
	began := clock.Running()
	tx, err := g.begin()
	if err != nil {
		return err
	}
	committed := false
	defer func() {
		if err != nil && g.control("ROLLBACK") != nil { // SQLite might already have rolled back
			g.disconnect()
		}
		tx.ended(0, committed)
	}()
	for _, c := range batch {
		before := len(tx.after)
		if savepoints {
			if err := g.control("SAVEPOINT w"); err != nil {
				return err
			}
		}
		c.run(tx)
		switch failed := c.err != nil || c.panic != nil; {
		case failed && !savepoints && len(batch) > 1:
			return errNeedSavepoints
		case failed && !savepoints:
			return g.control("ROLLBACK")
		case failed:
			if err := g.control("ROLLBACK TO w"); err != nil {
				return err
			}
			tx.ended(before, false)
		}
		if savepoints {
			if err := g.control("RELEASE w"); err != nil {
				return err
			}
		}
	}
	if err := g.control("COMMIT"); err != nil {
		return err
	}
	committed = true
	g.db.commits.Add(1)
	g.db.metrics.Committed(len(batch), clock.Running()-began)
	return nil
}

func (c *call) run(tx *Tx) {
	c.err, c.panic = nil, nil
	defer func() {
		if p := recover(); p != nil {
			c.panic = fmt.Sprintf("panic in a write: %v", p)
		}
	}()
	c.err = c.fn(tx)
}

func (g *group) begin() (*Tx, error) {
	if err := g.connect(); err != nil {
		return nil, err
	}
	if err := g.control("BEGIN IMMEDIATE"); err != nil {
		g.disconnect() // a fresh connection next time
		return nil, err
	}
	return &Tx{Query: Query{ctx: context.Background(), prepared: g.stmt, raw: &g.raw}}, nil
}

func (g *group) connect() error {
	if g.conn != nil {
		return nil
	}
	conn, err := g.db.writers.Conn(context.Background())
	if err != nil {
		return err
	}
	g.conn = conn
	if err := g.raw.connect(conn); err != nil {
		g.disconnect()
		return err
	}
	return nil
}

// between runs fn in the writer's goroutine, between two transactions and with the writer's connection open. An error
// other than that of fn means that fn did not run.
func (g *group) between(ctx context.Context, fn func() error) (err error) {
	g.start.Do(func() { go g.loop() })
	ended := make(chan struct{})
	run := func() {
		defer close(ended)
		if err = g.connect(); err == nil {
			err = fn()
		}
	}
	select {
	case g.alone <- run:
		<-ended
		return wrap(err)
	case <-g.ended:
		return wrap(ErrClosed)
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (g *group) control(text string) error {
	_, err := g.raw.exec(text, nil)
	return err
}

// pragma runs a PRAGMA that SQLite executes while it prepares the statement, so that a prepared one runs only once.
func (g *group) pragma(text string) error {
	_, err := g.conn.ExecContext(context.Background(), text)
	return err
}

func (g *group) stmt(text string) (*statement, error) {
	if s := g.stmts[text]; s != nil {
		return s, nil
	}
	s, err := prepare(g.conn, text)
	if err != nil {
		return nil, err
	}
	g.stmts[text] = s
	return s, nil
}

func (g *group) disconnect() {
	for _, s := range g.stmts {
		_ = s.Close()
	}
	clear(g.stmts)
	g.raw.close()
	if g.conn != nil {
		_ = g.conn.Close()
		g.conn = nil
	}
}
