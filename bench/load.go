package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// result is the result of a load, or of one of its windows.
type result struct {
	count int64
	all   int64 // of the whole load, including warm-up
	took  time.Duration
	times []time.Duration
	used  usage // of the server during took; zero: not measured
}

// usage is the processor time of a server, and of its database's processes.
type usage struct{ own, database time.Duration }

func (u usage) since(before usage) usage {
	return usage{u.own - before.own, u.database - before.database}
}

func (r *result) add(more *result) {
	r.count, r.all, r.took, r.times = r.count+more.count, r.all+more.all, r.took+more.took, append(r.times, more.times...)
}

func (r *result) rate() float64 { return float64(r.count) / r.took.Seconds() }

func (r *result) p(q float64) time.Duration {
	if len(r.times) == 0 {
		return 0
	}
	slices.Sort(r.times)
	return r.times[min(int(q*float64(len(r.times))), len(r.times)-1)]
}

// plan appends a connection's request for a turn to b. It returns nil if the connection has no more requests.
type plan func(conn, turn int, b []byte) []byte

const (
	warmUp  = 2 * time.Second
	threads = 2
)

// load sends a plan's requests over conns keep-alive connections. It runs for d, after a warm-up of the
// same length but at most two seconds. If d is 0, it runs until the plan has no more requests.
func load(ctx context.Context, address string, conns int, d time.Duration, next plan) (*result, error) {
	l := &loader{address: address, conns: conns, next: next}
	results, err := l.run(ctx, after(min(warmUp, d), d)...)
	if err != nil {
		return nil, err
	}
	return results[0], nil
}

// window is a measured part of a load.
type window struct{ from, to time.Time }

// after returns the window of a duration after a warm-up that starts now; none if the duration is 0.
func after(warm, d time.Duration) []window {
	if d == 0 {
		return nil
	}
	from := time.Now().Add(warm)
	return []window{{from, from.Add(d)}}
}

// loader sends requests. Two threads serve all connections with epoll, so that the client uses little of the cores that
// it shares with the server.
type loader struct {
	address string
	conns   int
	next    plan
	right   func(body []byte) bool // reports whether a 2xx response is right; nil: each one is
	used    func() usage           // returns the usage of the server so far; nil: it isn't measured

	window, stop atomic.Int32 // the number of the current window from 1, or 0; and not 0 if the load ends
}

// run loads until the end of the last window, and returns a result for each. Without windows, it loads until the plan
// has no more requests, and measures all of it.
func (l *loader) run(ctx context.Context, windows ...window) ([]*result, error) {
	end := context.AfterFunc(ctx, func() { l.stop.Store(1) })
	defer end()
	results := newResults(max(1, len(windows)))
	var wg sync.WaitGroup
	var mu sync.Mutex
	var failure error
	for t := range threads {
		wg.Go(func() {
			w := &worker{loader: l, times: make([][]time.Duration, len(results)+1)}
			defer w.close()
			err := w.dial(t)
			if err == nil {
				err = w.run()
			}
			if err != nil {
				l.stop.Store(1)
			}
			mu.Lock()
			defer mu.Unlock()
			for i, res := range results {
				res.times, res.all = append(res.times, w.times[i+1]...), res.all+w.all
			}
			failure = errors.Join(failure, err)
		})
	}
	finished := make(chan struct{})
	go func() { wg.Wait(); close(finished) }()
	sleepUntil := func(at time.Time) {
		select {
		case <-time.After(time.Until(at)):
		case <-finished:
		}
	}
	if len(windows) == 0 {
		l.measure(1, results[0], func() { <-finished })
	}
	for i, w := range windows {
		sleepUntil(w.from)
		l.measure(i+1, results[i], func() { sleepUntil(w.to) })
	}
	l.stop.Store(1)
	<-finished
	for _, res := range results {
		res.count = int64(len(res.times))
	}
	return results, errors.Join(failure, ctx.Err())
}

// measure measures a window until wait returns.
func (l *loader) measure(number int, res *result, wait func()) {
	used := l.used
	if used == nil {
		used = func() (none usage) { return none }
	}
	before, begun := used(), time.Now()
	l.window.Store(int32(number))
	wait()
	l.window.Store(0)
	res.took, res.used = time.Since(begun), used().since(before)
}

// worker is one thread with its connections.
type worker struct {
	*loader
	poll  *poller
	open  map[int]*connection // by descriptor
	times [][]time.Duration   // by the number of the window
	all   int64
}

type connection struct {
	number, turn int
	out, in      []byte
	requested    time.Time
}

func (w *worker) dial(thread int) (err error) {
	a, err := net.ResolveTCPAddr("tcp4", w.address)
	if err != nil {
		return err
	}
	if w.poll, err = newPoller(); err != nil {
		return err
	}
	w.open = map[int]*connection{}
	for n := thread; n < w.conns; n += threads {
		fd, err := w.poll.dial(a)
		if err != nil {
			return err
		}
		w.open[fd] = &connection{number: n}
	}
	return nil
}

func (w *worker) close() {
	for fd := range w.open {
		w.poll.drop(fd)
	}
	w.poll.close()
}

func (w *worker) run() error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for fd, c := range w.open {
		if err := w.ask(fd, c); err != nil {
			return err
		}
	}
	buf := make([]byte, 64<<10)
	for len(w.open) > 0 && w.stop.Load() == 0 {
		ready, err := w.poll.wait()
		if err != nil {
			return err
		}
		for _, fd := range ready {
			c := w.open[fd]
			n, err := w.poll.read(fd, buf)
			if err != nil {
				return err
			}
			c.in = append(c.in, buf[:n]...)
			done, err := c.answered(w.right)
			if err != nil {
				return err
			}
			if !done {
				continue
			}
			w.all++
			if n := w.window.Load(); n > 0 {
				w.times[n] = append(w.times[n], time.Since(c.requested))
			}
			if err := w.ask(fd, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// ask sends the connection's next request, or closes the connection if there is none.
func (w *worker) ask(fd int, c *connection) error {
	if c.out = w.next(c.number, c.turn, c.out[:0]); c.out == nil {
		w.poll.drop(fd)
		delete(w.open, fd)
		return nil
	}
	c.turn++
	c.requested = time.Now()
	return w.poll.write(fd, c.out)
}

var (
	errAnswer     = errors.New("malformed answer")
	headEnd       = []byte("\r\n\r\n")
	contentLength = []byte("\r\nContent-Length: ")
)

// answered reports whether a complete response has arrived, and removes it. A response is an error if it isn't 2xx or
// not right; right can be nil.
func (c *connection) answered(right func([]byte) bool) (bool, error) {
	end := bytes.Index(c.in, headEnd)
	if end < 0 {
		return false, nil
	}
	head := c.in[:end+2]
	at := bytes.Index(head, contentLength)
	if at < 0 || len(head) < 12 {
		return false, errAnswer
	}
	value := head[at+len(contentLength):]
	length, err := strconv.Atoi(string(value[:bytes.IndexByte(value, '\r')]))
	if err != nil {
		return false, errAnswer
	}
	whole := end + len(headEnd) + length
	if len(c.in) < whole {
		return false, nil
	}
	if body := c.in[end+len(headEnd) : whole]; head[9] != '2' || right != nil && !right(body) {
		return false, fmt.Errorf("answer %s: %.300s", head[9:12], body)
	}
	c.in = append(c.in[:0], c.in[whole:]...)
	return true, nil
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
