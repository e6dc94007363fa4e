package virtual_test

import (
	"database/sql"
	"strings"
	"sync"
	"testing"

	"example.com/griot/gateway/virtual"
)

// Pending items are found with an index, so that the cost does not grow with the number of messages.
func TestPending_UsesIndex(t *testing.T) {
	t.Parallel()
	g := withFile(t)
	d := virtual.DB(g.Gateway)
	var mu sync.Mutex
	asked := map[string][]any{}
	d.OnQuery(func(text string, args []any, _ bool) {
		mu.Lock()
		defer mu.Unlock()
		asked[text] = args
	})
	stop := g.run()
	g.send(outbound(aissata))
	g.wait("the receipt", func() bool { return len(g.sink.Receipts()) == 1 })
	stop()
	d.OnQuery(func(string, []any, bool) {})
	looked := 0
	for text, args := range asked {
		if !strings.Contains(text, "direction = 'out'") {
			continue
		}
		looked++
		plan := ""
		err := d.Read(t.Context()).Each(func(rows *sql.Rows) error {
			var line string
			err := rows.Scan(new(int), new(int), new(int), &line)
			plan += line + "\n"
			return err
		}, "EXPLAIN QUERY PLAN "+text, args...)
		if err != nil || !strings.Contains(plan, "messages USING INDEX messages_written") || strings.Contains(plan, "TEMP B-TREE") {
			t.Errorf("%v: %s\n\tin the plan of %s", err, plan, text)
		}
	}
	if looked != 1 {
		t.Errorf("%d queries of pending items", looked)
	}
}
