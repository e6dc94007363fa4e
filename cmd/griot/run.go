package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"

	"example.com/griot/internal/httpx"
)

// site is a listener and its handler.
type site struct {
	name     string // internal, auth, api
	public   bool
	listener net.Listener
	handler  http.Handler
	last     bool // it is served until the background work has ended
}

// run serves the sites and does the background work until ctx ends. Then it drains: first the requests, then the
// attempts in flight, then the gateways. Before that, the readiness check starts to fail.
func (a *app) run(ctx context.Context, sites []site) error {
	work, stopWork := context.WithCancel(context.WithoutCancel(ctx))
	defer stopWork()
	serving, stopServing := context.WithCancel(context.WithoutCancel(ctx))
	defer stopServing()
	last, stopLast := context.WithCancel(context.WithoutCancel(ctx))
	defer stopLast()
	defer context.AfterFunc(ctx, func() {
		a.probes.probe.Stop()
		a.waitDrainDelay(serving)
		stopServing()
	})()
	var background, servers, lastServers sync.WaitGroup
	var mu sync.Mutex
	var errs []error
	report := func(err error) {
		if err != nil {
			mu.Lock()
			errs = append(errs, err)
			mu.Unlock()
			a.probes.probe.Stop()
			stopServing() // one failed part ends all
		}
	}
	for _, t := range a.tasks() {
		a.log.Debug("a task starts", "task", t.Name)
		background.Go(func() { report(t.Run(work)) })
	}
	for _, s := range sites {
		group, until := &servers, serving
		if s.last {
			group, until = &lastServers, last
		}
		group.Go(func() { report(httpx.Serve(until, s.listener, s.handler, a.log)) })
	}
	a.measure()
	a.probes.probe.Serve(a.checks(), a.pauseNote)
	<-serving.Done()
	servers.Wait()
	stopWork()
	background.Wait()
	stopLast()
	lastServers.Wait()
	return errors.Join(append(errs, a.gateways.Close())...)
}

// waitDrainDelay waits for the drain delay, unless the process stops serving earlier.
func (a *app) waitDrainDelay(serving context.Context) {
	if a.c.DrainDelay == 0 {
		return
	}
	a.log.Info("not ready from now on; the listeners close after drain_delay", "drainDelay", a.c.DrainDelay.String())
	delay := time.NewTimer(a.c.DrainDelay)
	defer delay.Stop()
	select {
	case <-delay.C:
	case <-serving.Done():
	}
}
