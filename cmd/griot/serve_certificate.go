package main

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"example.com/griot/internal/certificate"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/config"
	"example.com/griot/internal/httpx"
)

// hangups returns the process's SIGHUPs, which no longer end it.
func hangups() chan os.Signal {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGHUP)
	return c
}

// served is the certificate of the public listeners. Its pair is nil if a proxy has the certificate.
type served struct {
	pair  *certificate.Pair
	names []string // of the services
	log   *slog.Logger
}

func openCertificate(cfg *config.Config, log *slog.Logger) (*served, error) {
	s := &served{log: log}
	if cfg.TLS.Cert == "" {
		return s, nil
	}
	for role, origin := range map[string]string{config.RoleAuth: cfg.Auth.URL, config.RoleAPI: cfg.API.URL} {
		if own, err := httpx.ParseOwn(origin); err == nil && slices.Contains(cfg.Roles, role) {
			s.names = append(s.names, own.Host())
		}
	}
	var err error
	if s.pair, err = certificate.Open(cfg.TLS.Cert, cfg.TLS.Key); err == nil {
		s.warn()
	}
	return s, err
}

// listener returns l, with TLS if there is a certificate.
func (s *served) listener(l net.Listener) net.Listener {
	if s.pair == nil {
		return l
	}
	return tls.NewListener(l, s.pair.Config())
}

// checkInterval is the time between checks of a certificate that is not reloaded.
const checkInterval = 12 * time.Hour

// follow reloads the certificate at each SIGHUP, until ctx ends, and warns before it expires.
func (s *served) follow(ctx context.Context, hangups <-chan os.Signal) {
	tick := time.NewTicker(checkInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-hangups:
			s.reload()
		case <-tick.C:
			s.warn()
		}
	}
}

// reload reloads the certificate. If the new one can't be used, the previous one stays in use.
func (s *served) reload() {
	if s.pair == nil {
		s.log.Info("SIGHUP: there is no certificate to read again (tls.cert)")
		return
	}
	if err := s.pair.Reload(); err != nil {
		s.log.Error("SIGHUP: the certificate stays as it was: the new one can't be used", "err", err, "expires", s.pair.Leaf().NotAfter)
		return
	}
	s.log.Info("SIGHUP: the certificate was read again", "expires", s.pair.Leaf().NotAfter)
	s.warn()
}

func (s *served) warn() {
	if s.pair == nil {
		return
	}
	if problem := s.pair.Warning(clock.System(), s.names...); problem != "" {
		s.log.Warn("the certificate should be replaced", "problem", problem, "expires", s.pair.Leaf().NotAfter)
	}
}
