package arch_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// writesTable finds the tables that a statement writes.
var writesTable = regexp.MustCompile(`(?i)\b(?:insert\s+into|update|delete\s+from)\s+([a-z][a-z_]+[a-z])\b`)

// sharedTables are the tables that several packages write, with those other than their own.
var sharedTables = map[string][]string{
	"conversations":        {"messaging/person"}, // one person's number and WhatsApp ID are joined in every table
	"inbox_messages":       {"messaging/person"},
	"inbox_states":         {"messaging/person"},
	"opt_outs":             {"messaging/person"},
	"opt_out_keywords":     {"messaging/person"},
	"otp_challenges":       {"messaging/person"},
	"otp_rates":            {"messaging/person"},
	"recipient_counts":     {"messaging/outbox", "messaging/person"},
	"quotas":               {"messaging/outbox"}, // counted in the statement that accepts messages
	"message_count_log":    {"messaging/outbox"}, // written in the statement that changes messages
	"tenant_hook_events":   {"auth/login"},       // deleted with their tenant's data
	"tenant_hook_attempts": {"auth/login"},
}

// writtenTables returns the tables that a file's statements write.
func writtenTables(f *ast.File) (tables []string) {
	for _, n := range texts(f, writesTable) {
		for _, m := range writesTable.FindAllStringSubmatch(n.(*ast.BasicLit).Value, -1) {
			if table := strings.ToLower(m[1]); table != "set" { // DO UPDATE SET
				tables = append(tables, table)
			}
		}
	}
	return tables
}

// The statements that write a table are in one package, so that one place says what holds for its rows.
func TestTables_AreWrittenByOnePackage(t *testing.T) {
	writers := map[string]map[string]bool{}
	for _, p := range sourceTree(t) {
		if isHelper(p.dir) || !within(p.dir, "auth") && !within(p.dir, "messaging") {
			continue
		}
		for _, f := range p.files {
			if f.test {
				continue
			}
			for _, table := range writtenTables(f.ast) {
				if writers[table] == nil {
					writers[table] = map[string]bool{}
				}
				writers[table][p.dir] = true
			}
		}
	}
	if len(writers) < 40 {
		t.Errorf("statements write %d tables, want those of the schema", len(writers))
	}
	for table, dirs := range writers {
		for _, other := range sharedTables[table] {
			if !dirs[other] {
				t.Errorf("sharedTables says that %s writes %s, which it does not", other, table)
			}
			delete(dirs, other)
		}
		if len(dirs) > 1 {
			t.Errorf("%s is written by %v, want one package", table, slices.Sorted(maps.Keys(dirs)))
		}
	}
	for table := range sharedTables {
		if writers[table] == nil {
			t.Errorf("sharedTables names %s, which no statement writes", table)
		}
	}
}

func TestTables_AreFound(t *testing.T) {
	t.Parallel()
	const planted = "package planted\n\nvar _ = []string{`INSERT INTO opt_outs (id) VALUES (1)`, `WITH a AS (\n delete\tfrom quotas) UPDATE messages SET x = 1 ON CONFLICT (id) DO UPDATE SET x = 2`, `SELECT 1 FROM otp_rates FOR UPDATE`}\n"
	f, err := parser.ParseFile(token.NewFileSet(), "planted.go", planted, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := writtenTables(f); !slices.Equal(got, []string{"opt_outs", "quotas", "messages"}) {
		t.Errorf("found %v", got)
	}
}
