package main

import (
	"context"
	"net"
	"net/http"
	"net/http/pprof"

	"example.com/griot/internal/actor"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/config"
	"example.com/griot/internal/db"
	"example.com/griot/internal/probe"
	"example.com/griot/internal/verb"
	"example.com/griot/messaging/audit"
	operatorpages "example.com/griot/operator"
)

// internal returns the handler of the listener for this machine.
func (a *app) internal() http.Handler {
	mux := http.NewServeMux()
	if a.c.HasRole(config.RoleAuth) {
		mux.Handle("/internal/", a.auth.Internal())
	}
	mux.Handle(verb.Path, verb.Handler(a.verbs, a.key, clock.System, a.log))
	pages := a.operator.Handler()
	for _, path := range operatorpages.Paths() {
		mux.Handle(path, pages)
	}
	probes := a.probes.handler()
	for _, path := range probe.Paths() {
		mux.Handle(path, probes)
	}
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	return mux
}

// recordOperator stores an audit event about the start or end of a session of the operator's pages.
func (a *app) recordOperator(ctx context.Context, action, sessionID string) error {
	event := audit.New(actor.With(ctx, actor.Actor{Type: actor.Operator}), clock.System(), "", action, sessionID)
	return a.db.Write(ctx, func(tx *db.Tx) error { return audit.Record(tx, event) })
}

func listen(ctx context.Context, address string) (net.Listener, error) {
	var c net.ListenConfig
	return c.Listen(ctx, "tcp", address)
}
