package main

import (
	"context"
	"log/slog"
	"net"
	"net/http"

	"example.com/griot/internal/db"
	"example.com/griot/internal/httpx"
)

// site is an API that this process serves on a database.
type site struct {
	address string
	db      *db.DB
	end     context.CancelFunc
	ended   chan struct{}
}

// serve serves a separate port until stop.
func (s *site) serve(ctx context.Context, h http.Handler) error {
	var c net.ListenConfig
	l, err := c.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s.address, s.ended = l.Addr().String(), make(chan struct{})
	ctx, s.end = context.WithCancel(ctx)
	go func() {
		defer close(s.ended)
		_ = httpx.Serve(ctx, l, h, slog.New(slog.DiscardHandler))
	}()
	return nil
}

func (s *site) stop() {
	s.end()
	<-s.ended
	_ = s.db.Close()
}
