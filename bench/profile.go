package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

// startProfile writes a profile of the program to a path during the first window. The returned function waits for it.
// Without a path or a window it does nothing.
func (g *griot) startProfile(ctx context.Context, path string, windows []window) (wait func()) {
	if path == "" || len(windows) == 0 {
		return func() {}
	}
	w := windows[0]
	done := make(chan error, 1)
	go func() {
		time.Sleep(time.Until(w.from))
		done <- g.profile(ctx, path, w.to.Sub(w.from))
	}()
	return func() {
		if err := <-done; err != nil {
			fmt.Fprintln(os.Stderr, "bench: profile:", err)
		}
	}
}

// profile fetches a CPU profile for d, and the allocations since the start of the program.
func (g *griot) profile(ctx context.Context, path string, d time.Duration) error {
	return errors.Join(g.fetch(ctx, fmt.Sprintf("profile?seconds=%d", max(1, int(d.Seconds()))), path+".cpu"), g.fetch(ctx, "allocs", path+".allocs"))
}

func (g *griot) fetch(ctx context.Context, what, path string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, g.InternalURL+"/debug/pprof/"+what, nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, res.Body)
	return errors.Join(err, f.Close())
}
