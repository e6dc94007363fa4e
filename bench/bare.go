package main

import (
	"bytes"
	"context"
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

const serveBareCommand = "serve-bare"

// Paths of the bare server, in addition to the path for JSON bodies.
const (
	staticPath       = "/static" // prepared bytes
	webhookPath      = "/hook"   // 200, like a webhook endpoint
	webhookCountPath = "/hooks"  // number of requests to webhookPath
)

// serveBare responds with a JSON body, or prepared bytes, from a plain net/http handler in a separate process.
func serveBare(ctx context.Context, out io.Writer) error {
	prepared := bytes.Repeat([]byte("griot.. "), 64) // the length of a document of the auth service
	length := strconv.Itoa(len(prepared))
	var webhooks atomic.Int64
	return serve(ctx, out, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.Path {
		case staticPath:
			w.Header().Set("Content-Length", length)
			_, _ = w.Write(prepared)
			return
		case webhookPath:
			webhooks.Add(1)
		case webhookCountPath:
			_, _ = fmt.Fprint(w, webhooks.Load())
			return
		}
		writeAnswer(w, "01ARZ3NDEKTSV4RRFFQ69G5FAV")
	}))
}

// writeAnswer writes the response of a send.
func writeAnswer(w http.ResponseWriter, id string) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"id": id, "status": "PENDING", "mode": "LIVE", "expiresAt": "2026-01-01T00:00:00.000Z"})
}

type bareServer struct {
	*child
	address string
}

func startBare(ctx context.Context) (*bareServer, error) {
	c, address, err := startSelf(ctx, serveBareCommand)
	return &bareServer{c, address}, err
}

// posts returns the number of webhook events that the bare server received.
func (b *bareServer) posts(ctx context.Context) (n int64, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+b.address+webhookCountPath, nil)
	if err != nil {
		return 0, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer func() { _ = res.Body.Close() }()
	err = json.NewDecoder(res.Body).Decode(&n)
	return n, err
}

// startSelf starts this program as one of its servers. The server first prints its address.
func startSelf(ctx context.Context, args ...string) (c *child, address string, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, "", err
	}
	c, out, err := start(ctx, nil, self, args...)
	if err != nil {
		return nil, "", err
	}
	if _, err := fmt.Fscanln(out, &address); err != nil {
		c.stop()
		return nil, "", err
	}
	return c, address, nil
}

// bare measures the machine's performance without Griot, for the comparisons.
func (r *report) bare(context.Context) error {
	if r.wants("token") {
		var err error
		if r.signs, err = signs(r.o.seconds); err != nil {
			return err
		}
		r.line("RSA-2048 signatures", fmt.Sprintf("%.0f/s", r.signs), "", fmt.Sprintf("on %d cores", runtime.GOMAXPROCS(0)))
	}
	return nil
}

const turns = 4

// inTurns measures a request and its bare counterpart alternately several times, so
// that other work on the machine slows both.
func (r *report) inTurns(ctx context.Context, bareName, barePath, name, address string, ask plan, target string) error {
	bare, own := &result{}, &result{}
	for range turns {
		for _, m := range []struct {
			total   *result
			address string
			ask     plan
		}{
			{bare, r.bareAddress, func(_, _ int, b []byte) []byte { return request(b, "GET", barePath, nil) }},
			{own, address, ask},
		} {
			res, err := load(ctx, m.address, r.o.conns, r.o.seconds/turns, m.ask)
			if err != nil {
				return err
			}
			m.total.add(res)
		}
	}
	r.rate(bareName, bare, 0, "")
	r.rate(name, own, bare.rate(), target)
	return nil
}

func signs(d time.Duration) (float64, error) {
	key, err := rsa.GenerateKey(nil, 2048)
	if err != nil {
		return 0, err
	}
	sum := sha256.Sum256([]byte("griot"))
	var n atomic.Int64
	var wg sync.WaitGroup
	start := time.Now()
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for time.Since(start) < d {
				if _, err := rsa.SignPKCS1v15(nil, key, crypto.SHA256, sum[:]); err != nil {
					return
				}
				n.Add(1)
			}
		})
	}
	wg.Wait()
	return float64(n.Load()) / time.Since(start).Seconds(), nil
}
