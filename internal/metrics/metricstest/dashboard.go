package metricstest

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// Queries returns the expressions of the panels in a dashboard's file, by title.
func Queries(t testing.TB, file string) map[string][]string {
	t.Helper()
	var board struct {
		Panels []struct {
			ID      int
			Title   string
			Targets []struct{ Expr string }
		}
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &board); err != nil {
		t.Fatal(err)
	}
	all, ids := map[string][]string{}, map[int]bool{}
	for _, p := range board.Panels {
		if ids[p.ID] {
			t.Errorf("two panels have the id %d", p.ID)
		}
		ids[p.ID] = true
		for _, target := range p.Targets {
			all[p.Title] = append(all[p.Title], strings.ReplaceAll(target.Expr, "$__rate_interval", "5m"))
		}
	}
	if len(all) < 30 {
		t.Fatalf("%d panels with queries", len(all))
	}
	return all
}
