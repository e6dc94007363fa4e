package smpp

import (
	"bufio"
	"context"
	"log/slog"
	"net"
	"strconv"
	"sync"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/gateway/smpp/pdu"
	"example.com/griot/gateway/smpp/smpptest"
	"example.com/griot/internal/clock"
)

const benchWindow = 64

// BenchmarkSend measures Send with a full window, against smpptest on the same machine.
func BenchmarkSend(b *testing.B) {
	c := smpptest.Start(b, smpptest.Options{DiscardSubmits: true})
	opened, err := Open(settingsFor(c.Port(), map[string]any{"window": benchWindow, "receipts": false}), gateway.Deps{Name: "bench", Now: clock.System, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	s := opened.(*sender)
	ctx, cancel := context.WithCancel(context.Background())
	var run sync.WaitGroup
	run.Go(func() { _ = s.Run(ctx) })
	defer func() {
		cancel()
		run.Wait()
		_ = s.Close()
	}()
	if err := s.connected(ctx); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.ResetTimer()
	runParallel(b, func() error {
		_, err := s.Send(ctx, text("Votre code : 123456"))
		return err
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "submits/s")
}

// BenchmarkBare is the baseline of BenchmarkSend: the same units and window on the same
// kind of connection, with only the codec.
func BenchmarkBare(b *testing.B) {
	c := smpptest.Start(b, smpptest.Options{DiscardSubmits: true})
	conn, err := (&net.Dialer{}).DialContext(b.Context(), "tcp", "127.0.0.1:"+strconv.Itoa(c.Port()))
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	r := bufio.NewReader(conn)
	body, err := pdu.Bind{SystemID: smpptest.SystemID, Password: smpptest.Password, Version: version}.Body()
	if err != nil {
		b.Fatal(err)
	}
	write := func(command pdu.Command, body []byte) {
		unit, err := pdu.PDU{Command: command, Sequence: 1, Body: body}.Append(nil)
		if err == nil {
			_, err = conn.Write(unit)
		}
		if err != nil {
			b.Error(err)
		}
	}
	write(pdu.BindTransceiver, body)
	if _, err := pdu.Read(r); err != nil {
		b.Fatal(err)
	}
	m := smpptest.Text(griot, aissata, "Votre code : 123456")
	if body, err = m.Body(); err != nil {
		b.Fatal(err)
	}
	places := make(chan struct{}, benchWindow)
	b.ResetTimer()
	var reader sync.WaitGroup
	reader.Go(func() {
		for range b.N {
			if _, err := pdu.Read(r); err != nil {
				b.Error(err)
				return
			}
			<-places
		}
	})
	for range b.N {
		places <- struct{}{}
		write(pdu.SubmitSM, body)
	}
	reader.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "submits/s")
}

// runParallel calls work b.N times, benchWindow at once.
func runParallel(b *testing.B, work func() error) {
	var all sync.WaitGroup
	turns := make(chan struct{}, benchWindow)
	for range benchWindow {
		all.Go(func() {
			for range turns {
				if err := work(); err != nil {
					b.Error(err)
				}
			}
		})
	}
	for range b.N {
		turns <- struct{}{}
	}
	close(turns)
	all.Wait()
}
