package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"example.com/griot/griot-whatsapp/config"
	"example.com/griot/griot-whatsapp/gateway"
	"example.com/griot/griot-whatsapp/protocol"
)

// drain is the time limit of a shutdown. It is longer than sending one message takes.
const drain = 26 * time.Second

func serve(ctx context.Context, args []string, errs io.Writer) (err error) {
	set, path := flags("serve", errs)
	withStdin := set.Bool("end-with-stdin", false, "end when standard input does, for a program that starts this one")
	if err := set.Parse(args); err != nil {
		return err
	}
	if set.NArg() > 0 {
		return errUsage
	}
	if *withStdin {
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		defer cancel()
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			cancel()
		}()
	}
	c, err := config.Load(*path, os.Getenv)
	if err != nil {
		return err
	}
	keys, err := c.Signing()
	if err != nil {
		return err
	}
	s, err := open(ctx, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	log := slog.New(slog.NewTextHandler(errs, nil))
	slog.SetDefault(log) // the HTTP servers log to it, too
	g := gateway.New(gateway.Config{
		Store: s, Keys: keys, Griot: c.Griot, Pace: protocol.Pace(c.Pace), Deduplicates: c.Deduplicates, FirstContact: c.FirstContact, OwnMessages: c.OwnMessages,
		MaxEvents: c.Spool.Events, WhatsApp: whatsAppClient(), Lease: lease, Log: log,
	})
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", c.Listen)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: g.Handler(), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 1 << 14}
	ended := make(chan error, 2)
	if c.Metrics.Listen != "" {
		l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", c.Metrics.Listen)
		if err != nil {
			return errors.Join(fmt.Errorf("metrics.listen: %w", err), listener.Close())
		}
		probes := &http.Server{Handler: g.Probes(), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 1 << 14}
		defer probes.Close()
		go func() { ended <- probes.Serve(l) }()
	}
	go func() {
		if c.TLS.CertFile != "" {
			ended <- server.ServeTLS(listener, c.TLS.CertFile, c.TLS.KeyFile)
			return
		}
		ended <- server.Serve(listener)
	}()
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		g.Run(running)
	}()
	log.Info("griot-whatsapp is ready", "version", version, "address", listener.Addr().String(), "griot", c.Griot)
	select {
	case err = <-ended:
		err = fmt.Errorf("listening has ended: %w", err)
	case <-ctx.Done():
		g.Drain()
		log.Info("griot-whatsapp is stopping")
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), drain)
		err = server.Shutdown(limited)
		cancel()
	}
	stop()
	<-done
	return err
}
