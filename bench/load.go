package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// result is what a load measured.
type result struct {
	count int64
	took  time.Duration
	times []time.Duration
}

func (r *result) rate() float64 { return float64(r.count) / r.took.Seconds() }

func (r *result) p(q float64) time.Duration {
	if len(r.times) == 0 {
		return 0
	}
	slices.Sort(r.times)
	return r.times[min(int(q*float64(len(r.times))), len(r.times)-1)]
}

const (
	warmUp    = time.Second
	statusOK  = 200
	statusMax = 299
)

// load sends requests over conns keep-alive connections for the given time after
// a second of warming up. next makes the request of a connection's turn as raw
// bytes, or returns nil when there are no more. The client is a few lines over a
// socket, so that it takes little of the cores that it shares with the server.
func load(ctx context.Context, address string, conns int, d time.Duration, next func(conn, turn int, b []byte) []byte) (*result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var counting, stop atomic.Bool
	var wg sync.WaitGroup
	var mu sync.Mutex
	total := &result{}
	var failure error
	for c := range conns {
		wg.Go(func() {
			mine, err := drive(ctx, address, c, &counting, &stop, next)
			mu.Lock()
			defer mu.Unlock()
			total.count += int64(len(mine))
			total.times = append(total.times, mine...)
			failure = errors.Join(failure, err)
			if err != nil {
				cancel()
			}
		})
	}
	finished := make(chan struct{})
	go func() { wg.Wait(); close(finished) }()
	wait := func(d time.Duration) {
		select {
		case <-time.After(d):
		case <-finished:
		}
	}
	if d > 0 {
		wait(warmUp)
	}
	counting.Store(true)
	start := time.Now()
	if d > 0 {
		wait(d)
		stop.Store(true)
	}
	<-finished
	total.took = time.Since(start)
	return total, failure
}

func drive(ctx context.Context, address string, c int, counting, stop *atomic.Bool, next func(conn, turn int, b []byte) []byte) (times []time.Duration, err error) {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close() }()
	in := bufio.NewReaderSize(conn, 16<<10)
	var out []byte
	for turn := 0; !stop.Load() && ctx.Err() == nil; turn++ {
		if out = next(c, turn, out[:0]); out == nil {
			return times, nil
		}
		start := time.Now()
		if _, err := conn.Write(out); err != nil {
			return times, err
		}
		status, body, err := readAnswer(in)
		if err != nil {
			return times, err
		}
		if status < statusOK || status > statusMax {
			return times, fmt.Errorf("answer %d: %.200s", status, body)
		}
		if counting.Load() {
			times = append(times, time.Since(start))
		}
	}
	return times, nil
}

var errAnswer = errors.New("malformed answer")

// readAnswer reads an HTTP/1.1 answer that has a Content-Length.
func readAnswer(in *bufio.Reader) (status int, body []byte, err error) {
	line, err := in.ReadSlice('\n')
	if err != nil {
		return 0, nil, err
	}
	if len(line) < 12 {
		return 0, nil, errAnswer
	}
	if status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return 0, nil, errAnswer
	}
	length := 0
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return 0, nil, err
		}
		if len(line) <= 2 {
			break
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		if bytes.EqualFold(name, []byte("Content-Length")) {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return 0, nil, errAnswer
			}
		}
	}
	if status >= statusOK && status <= statusMax {
		_, err = in.Discard(length)
		return status, nil, err
	}
	body = make([]byte, length)
	_, err = io.ReadFull(in, body)
	return status, body, err
}

// request appends an HTTP/1.1 request to b.
func request(b []byte, method, path string, body []byte, headers ...string) []byte {
	b = append(b, method...)
	b = append(b, ' ')
	b = append(b, path...)
	b = append(b, " HTTP/1.1\r\nHost: 127.0.0.1\r\n"...)
	for _, h := range headers {
		b = append(b, h...)
		b = append(b, "\r\n"...)
	}
	if body != nil {
		b = append(b, "Content-Type: application/json\r\nContent-Length: "...)
		b = strconv.AppendInt(b, int64(len(body)), 10)
		b = append(b, "\r\n"...)
	}
	b = append(b, "\r\n"...)
	return append(b, body...)
}
