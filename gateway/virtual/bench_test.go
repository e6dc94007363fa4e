package virtual_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/gateway/virtual"
	"example.com/griot/internal/clock"
)

// countingSink accepts everything, and counts receipts.
type countingSink struct{ receipts atomic.Int64 }

func (*countingSink) Inbound(context.Context, gateway.Inbound) error { return nil }
func (s *countingSink) Receipt(context.Context, gateway.Receipt) error {
	s.receipts.Add(1)
	return nil
}
func (*countingSink) Change(context.Context, gateway.Change) error { return nil }

func benchmarkSend(b *testing.B, path string) {
	g, err := virtual.New(context.Background(), virtual.Options{
		Path: path, Sink: &countingSink{}, Now: clock.System, Box: testBox(b), Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- g.Run(ctx) }()
	var n atomic.Int64
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			i := n.Add(1)
			out := gateway.Outbound{
				Ref: "msg_" + strconv.FormatInt(i, 10), Channel: gateway.WhatsApp, From: ourNumber,
				To: strconv.FormatInt(22370000000+i%100_000, 10), Text: "Votre commande est en route.",
			}
			if _, err := g.Send(ctx, &out); err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.StopTimer()
	cancel()
	if err := <-done; err != nil {
		b.Error(err)
	}
	if err := g.Close(); err != nil {
		b.Error(err)
	}
}

func BenchmarkSend_Memory(b *testing.B) { benchmarkSend(b, "") }

func BenchmarkSend_File(b *testing.B) {
	b.SetParallelism(32)
	benchmarkSend(b, filepath.Join(b.TempDir(), "virtual.db"))
}
