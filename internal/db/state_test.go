package db_test

import (
	"testing"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

func TestState_TellsHowTheDatabaseDoes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s, err := d.State(t.Context(), time.Now)
		if err != nil {
			t.Fatal(err)
		}
		if s.Engine != d.Engine() || s.Version == "" || s.Size < 1000 {
			t.Errorf("got %+v, want an engine, a version, and a size", s)
		}
		if known := s.HasFree && s.Free > 0; known != (d.Engine() == db.SQLite) {
			t.Errorf("free: %d, known %v, on %s", s.Free, s.HasFree, s.Engine)
		}
		if s.Ahead.Abs() > time.Minute {
			t.Errorf("the clocks of one machine are %v apart", s.Ahead)
		}
	})
}
