package db_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"griot/internal/db"
	"griot/internal/db/dbtest"
)

const counted = `INSERT INTO counted (id, n) VALUES ($1, 1) ON CONFLICT (id) DO UPDATE SET n = counted.n + 1 WHERE counted.n < $2 RETURNING n`

func laneOn(t *testing.T) (*db.DB, *db.Lane) {
	t.Helper()
	d := dbtest.Postgres(t)
	err := d.Write(t.Context(), func(tx *db.Tx) error {
		_, err := tx.Exec(`CREATE TABLE counted (id TEXT NOT NULL PRIMARY KEY, n BIGINT NOT NULL)`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return d, d.Lane()
}

func TestLane_CarriesManyInOneCommit(t *testing.T) {
	d, l := laneOn(t)
	_, before := d.Stats()
	var mu sync.Mutex
	got := map[int64]int{}
	none := 0
	var wg sync.WaitGroup
	for range 500 {
		wg.Go(func() {
			n, ok, err := l.Row(context.Background(), "x", counted, "x", 400)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			if got[n]++; !ok {
				none++
			}
		})
	}
	wg.Wait()
	if len(got) != 401 || none != 100 || got[0] != 100 || got[400] != 1 {
		t.Errorf("%d values, %d times none", len(got), none)
	}
	if _, after := d.Stats(); after-before >= 500 {
		t.Errorf("%d commits", after-before)
	}
}

func TestLane_WhatFailsTakesItsBatchAlong(t *testing.T) {
	d, l := laneOn(t)
	var undone, done int
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := range 200 {
		text := counted
		if i == 100 {
			text = strings.Replace(counted, "VALUES ($1, 1)", "VALUES ($1, NULL)", 1)
		}
		wg.Go(func() {
			_, _, err := l.Row(context.Background(), fmt.Sprint(i), text, fmt.Sprint(i), 5)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				done++
			case errors.Is(err, db.ErrUndone):
				undone++
			default:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	var rows int
	if _, err := d.Read(t.Context()).Row(`SELECT count(*) FROM counted`).Scan(&rows); err != nil || undone == 0 || rows != done {
		t.Errorf("%d done, %d undone, %d stored, %v", done, undone, rows, err)
	}
	if n, ok, err := l.Row(t.Context(), "after", counted, "after", 5); n != 1 || !ok || err != nil {
		t.Errorf("afterwards: %d %t %v", n, ok, err)
	}
}

func TestLane_ABrokenConnectionIsNoAnswer(t *testing.T) {
	_, l := laneOn(t)
	_, _, err := l.Row(t.Context(), "", `SELECT CASE WHEN pg_terminate_backend(pg_backend_pid()) THEN CAST(1 AS BIGINT) END`)
	if err == nil || errors.Is(err, db.ErrUndone) || !db.Unavailable(err) {
		t.Errorf("got %v", err)
	}
	if n, ok, err := l.Row(t.Context(), "after", counted, "after", 5); n != 1 || !ok || err != nil {
		t.Errorf("afterwards: %d %t %v", n, ok, err)
	}
}

func TestLane_WhoHasGoneIsNotCarried(t *testing.T) {
	d, l := laneOn(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := l.Row(ctx, "x", counted, "x", 5); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	var rows int
	if _, err := d.Read(t.Context()).Row(`SELECT count(*) FROM counted`).Scan(&rows); err != nil || rows != 0 {
		t.Errorf("%d rows, %v", rows, err)
	}
}

func TestLane_SQLiteHasNone(t *testing.T) {
	if l := dbtest.SQLite(t).Lane(); l != nil {
		t.Error("a lane")
	}
}
