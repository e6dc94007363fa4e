package virtual_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"example.com/griot/gateway"
)

// Each new item wakes Run.
func TestRun_Wakes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := open(t, "")
		g.run()
		began := time.Now()
		step := func(what string, receipts, messages int, do func()) {
			t.Helper()
			synctest.Wait() // Run sleeps
			do()
			synctest.Wait()
			if r, m := len(g.sink.Receipts()), len(g.sink.Messages()); r != receipts || m != messages {
				t.Errorf("%s: %d receipts and %d messages, want %d and %d", what, r, m, receipts, messages)
			}
		}
		var ack gateway.Ack
		step("delivered", 1, 0, func() { ack = g.send(outbound(aissata)) })
		step("read", 2, 0, func() { g.ok("POST", "/dev/phones/"+aissata+"/messages/"+ack.ProviderID+"/read", "{}") })
		step("offline", 2, 0, func() {
			g.ok("PUT", "/dev/phones/"+aissata, `{"online":false}`)
			g.send(outbound(aissata))
		})
		step("online", 3, 0, func() { g.ok("PUT", "/dev/phones/"+aissata, `{"online":true}`) })
		step("lost ack", 4, 0, func() {
			g.ok("PUT", "/dev/faults/whatsapp", `{"outcome":"lost_ack"}`)
			g.refused(outbound(aissata), gateway.Unknown, "virtual_lost_ack")
		})
		step("refused once", 4, 1, func() {
			g.sink.Refuse(1)
			g.ok("POST", "/dev/phones/"+aissata+"/messages", inboundBody)
		})
		if slept := time.Since(began); slept != 0 {
			t.Errorf("the items have waited for %v", slept)
		}
	})
}

func TestOptions_ReceiptsOff(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, g *fixture) {
		if got := g.ok("PUT", "/dev/phones-options", `{"receipts":false}`); got["receipts"] != false || got["deduplicate"] != true || g.Info().Receipts {
			t.Errorf("%v, %+v", got, g.Info())
		}
		g.send(outbound(aissata))
		if g.options.Path != "" {
			g.reopen()
			if g.Info().Receipts {
				t.Error("the option is forgotten")
			}
		}
		if got := g.ok("PUT", "/dev/phones-options", `{"receipts":true}`); got["receipts"] != true || !g.Info().Receipts {
			t.Errorf("%v, %+v", got, g.Info())
		}
		out := outbound(moussa)
		g.send(out)
		g.run()
		g.wait("the second", func() bool { return len(g.sink.Receipts()) > 0 })
		if got := g.sink.Receipts(); len(got) != 1 || got[0].Ref != out.Ref {
			t.Errorf("%+v", got)
		}
		if got := g.texts(aissata); !slices.Equal(got, []string{"Bonjour"}) {
			t.Errorf("the quiet phone shows %v", got)
		}
	})
}
