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

// startProfile writes a profile of the program to a path while it is loaded for d. The returned function waits for it.
// Without a path it does nothing.
func (g *griot) startProfile(ctx context.Context, path string, d time.Duration) (wait func()) {
	if path == "" {
		return func() {}
	}
	done := make(chan error, 1)
	go func() { done <- g.profile(ctx, path, d) }()
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
