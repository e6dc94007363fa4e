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
}

func prepare(on interface {
	PrepareContext(ctx context.Context, query string) (*sql.Stmt, error)
}, text string,
) (*statement, error) {
	plain, order := anonymous(text)
	s, err := on.PrepareContext(context.Background(), plain)
	return &statement{s, order}, err
}

// stmtCache keeps the readers' prepared statements by text; the texts are constants of the program.
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
