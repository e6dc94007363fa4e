package virtual_test

import (
	"fmt"
	"strings"
	"testing"
)

// The limits are in store_memory.go.
func TestMemory_IsBounded(t *testing.T) {
	t.Parallel()
	g := open(t, "")
	hot := outbound(aissata)
	g.send(hot)
	for range 500 {
		out := outbound(aissata)
		out.Text = "new"
		g.send(out)
	}
	if got := g.texts(aissata); len(got) != 500 || got[0] != "new" {
		t.Errorf("%d messages, the oldest %q", len(got), got[0])
	}
	if phone := g.list("/dev/phones-list", "phones")[0]; phone["unread"] != 500.0 {
		t.Errorf("%v unread", phone["unread"])
	}
	g.send(hot)
	if got := g.outcomes(hot.Ref); len(got) != 2 || got[1] != "duplicate" {
		t.Errorf("a message that is no longer listed is delivered again: %v", got)
	}
	for i := range 20_000 {
		out := outbound(fmt.Sprint(22390000000 + i))
		out.Ref = fmt.Sprint("first-", i)
		g.send(out)
	}
	if a, b, c := len(g.messages(aissata)), len(g.messages("22390000000")), len(g.messages("22390019999")); a != 0 || b != 1 || c != 1 {
		t.Errorf("the newest 20,000 messages are kept: %d, %d, %d", a, b, c)
	}
	if got := g.outcomes(hot.Ref); len(got) != 0 {
		t.Errorf("attempts older than 10,000 others: %v", got)
	}
	for i := range 80_000 {
		out := outbound(fmt.Sprint(22390000000 + i))
		out.Ref = fmt.Sprint("second-", i)
		g.send(out)
	}
	old, older := outbound(moussa), outbound(moussa)
	old.Ref, older.Ref = "first-0", hot.Ref
	g.send(old)
	if n := len(g.messages(moussa)); n != 0 {
		t.Error("one of the last 100,000 references is forgotten")
	}
	g.send(older)
	if n := len(g.messages(moussa)); n != 1 {
		t.Error("a reference older than 100,000 others is kept")
	}
	if n := strings.Count(g.log.String(), "too much waits"); n != 0 {
		t.Errorf("the warning of dropped messages is logged %d times", n)
	}
	g.run()
	g.wait("the receipts of all that was delivered", func() bool {
		_, receipts := g.sink.Counts()
		return receipts == 1+500+20_000+80_000+1
	})
}
