package db

import (
	"context"
	"database/sql"
	"sync"
)

// statement is a prepared statement of SQLite.
type statement struct {
	*sql.Stmt
	order []int // of [anonymous]
	once  bool  // it is in no cache, so done closes it
}

// done must be called after the result has been read.
func (s *statement) done() {
	if s.once {
		_ = s.Close()
	}
}

func prepare(on interface {
	PrepareContext(ctx context.Context, query string) (*sql.Stmt, error)
}, text string,
) (*statement, error) {
	plain, order := anonymous(text)
	s, err := on.PrepareContext(context.Background(), plain)
	return &statement{Stmt: s, order: order}, err
}

// maxStatements is the maximum number of cached statements of the readers. The program has few texts, but filters
// multiply them, and each connection prepares its own.
const maxStatements = 300

// stmtCache caches the readers' prepared statements by text.
type stmtCache struct {
	db    *sql.DB
	mu    sync.RWMutex
	stmts map[string]*statement
}

func (c *stmtCache) get(text string) (*statement, error) {
	c.mu.RLock()
	s := c.stmts[text]
	c.mu.RUnlock()
	if s != nil {
		return s, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.stmts[text]; s != nil {
		return s, nil
	}
	s, err := prepare(c.db, text)
	if err != nil {
		return nil, err
	}
	if len(c.stmts) >= maxStatements {
		s.once = true
		return s, nil
	}
	if c.stmts == nil {
		c.stmts = map[string]*statement{}
	}
	c.stmts[text] = s
	return s, nil
}

func (c *stmtCache) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.stmts {
		_ = s.Close()
	}
	c.stmts = nil
}
