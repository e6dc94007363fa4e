package dbtest

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"example.com/griot/internal/db"
)

// large is the number of rows from which a table counts as large. A list must not read all rows of
// a large table, nor sort the rows that it finds.
const large = 1000

// Plans are the plans of the lists that were read after [RecordPlans].
type Plans struct {
	d  *db.DB
	mu sync.Mutex
	of map[string]query
}

type query struct {
	args []any
	page bool // by [db.Query.Page]
}

// RecordPlans starts recording the lists that are read. It must be called before the first read.
func RecordPlans(d *db.DB) *Plans {
	p := &Plans{d: d, of: map[string]query{}}
	d.OnQuery(func(text string, args []any, page bool) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.of[text] = query{args, page}
	})
	return p
}

// Check fails the test for each list whose generic plan reads a large table from end to
// end or sorts its rows. It returns the texts of the queries.
func (p *Plans) Check(t *testing.T) (texts []string) {
	t.Helper()
	p.d.OnQuery(func(string, []any, bool) {}) // don't record the queries below
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.d.Engine() == db.Postgres {
		run(t, p.d, "ANALYZE")
	}
	sizes := map[string]bool{} // true for large tables
	for text, a := range p.of {
		texts = append(texts, text)
		for _, bad := range p.check(t, text, a, sizes) {
			t.Errorf("%s\n\tin the plan of %s", bad, text)
		}
	}
	return texts
}

func run(t *testing.T, d *db.DB, text string) {
	t.Helper()
	if err := d.Write(t.Context(), func(tx *db.Tx) error { _, err := tx.Exec(text); return err }); err != nil {
		t.Fatal(err)
	}
}

func (p *Plans) check(t *testing.T, text string, a query, sizes map[string]bool) (bad []string) {
	t.Helper()
	isLarge := func(table string) bool {
		if _, known := sizes[table]; !known {
			var n int
			if _, err := p.d.Read(t.Context()).Row(`SELECT count(*) FROM (SELECT 1 FROM ` + table + fmt.Sprint(` LIMIT `, large) + `) AS counted`).Scan(&n); err != nil {
				t.Fatal(err)
			}
			sizes[table] = n >= large
		}
		return sizes[table]
	}
	if p.d.Engine() == db.Postgres {
		_, bad = p.generic(t, text, a).check(isLarge)
		return bad
	}
	var lines []string
	scans := false
	err := p.d.Read(t.Context()).Each(func(rows *sql.Rows) error {
		var line string
		err := rows.Scan(new(int), new(int), new(int), &line)
		lines = append(lines, line)
		return err
	}, "EXPLAIN QUERY PLAN "+text, a.args...)
	if err != nil {
		t.Fatal(err)
	}
	tables := tablesOf(t, p.d)
	for _, line := range lines {
		words := strings.Fields(line)
		if len(words) < 2 {
			continue
		}
		if table := words[1]; tables[table] && isLarge(table) {
			scans = true
			if words[0] == "SCAN" {
				bad = append(bad, line)
			}
		}
	}
	for _, line := range lines {
		if scans && strings.HasPrefix(line, "USE TEMP B-TREE FOR ORDER BY") {
			bad = append(bad, line)
		}
	}
	return bad
}

func tablesOf(t *testing.T, d *db.DB) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	err := d.Read(t.Context()).Each(func(rows *sql.Rows) error {
		var name string
		err := rows.Scan(&name)
		out[name] = true
		return err
	}, `SELECT name FROM sqlite_schema WHERE type = 'table'`)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// plan is a node of a PostgreSQL query plan.
type plan struct {
	Node  string `json:"Node Type"`
	Table string `json:"Relation Name"`
	Below []plan `json:"Plans"`
}

// generic returns PostgreSQL's plan for a query with unknown arguments.
func (p *Plans) generic(t *testing.T, text string, a query) *plan {
	t.Helper()
	var explained string
	err := p.d.Write(t.Context(), func(tx *db.Tx) error {
		before := []string{"SET LOCAL plan_cache_mode = force_generic_plan", "PREPARE judged AS " + text}
		if a.page {
			before = append(before, db.PageSettings)
		}
		for _, text := range before {
			if _, err := tx.Exec(text); err != nil {
				return err
			}
		}
		values := ""
		if len(a.args) > 0 {
			values = "(" + strings.TrimSuffix(strings.Repeat("NULL,", len(a.args)), ",") + ")"
		}
		if _, err := tx.Row("EXPLAIN (FORMAT JSON) EXECUTE judged" + values).Scan(&explained); err != nil {
			return err
		}
		_, err := tx.Exec("DEALLOCATE judged")
		return err
	})
	var plans []struct{ Plan plan }
	if err == nil {
		err = json.Unmarshal([]byte(explained), &plans)
	}
	if err != nil || len(plans) != 1 {
		t.Fatalf("%s: %v %s", text, err, explained)
	}
	return &plans[0].Plan
}

// check reports whether the node or one below it reads a large table, and returns the problems.
func (p *plan) check(isLarge func(string) bool) (large bool, bad []string) {
	for i := range p.Below {
		l, b := p.Below[i].check(isLarge)
		large, bad = large || l, append(bad, b...)
	}
	if p.Table != "" && isLarge(p.Table) {
		large = true
	}
	if large && (p.Node == "Seq Scan" || p.Node == "Sort") { // an Incremental Sort only sorts rows that are equal in an index
		bad = append(bad, p.Node+" "+p.Table)
	}
	return large, bad
}
