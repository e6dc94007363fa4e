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

// result is the result of a load.
type result struct {
	count int64
	all   int64 // including warm-up
	took  time.Duration
	times []time.Duration
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
// same length but at most two seconds. If d is 0, it runs until the plan has no more requests. Two
// threads serve all connections with epoll, so that the client uses little of the cores that it shares
// with the server.
func load(ctx context.Context, address string, conns int, d time.Duration, next plan) (*result, error) {
	var counting, stop atomic.Bool
	end := context.AfterFunc(ctx, func() { stop.Store(true) })
	defer end()
	var wg sync.WaitGroup
	var mu sync.Mutex
	total := &result{}
	var failure error
	for t := range threads {
		wg.Go(func() {
			w := &worker{counting: &counting, stop: &stop, next: next}
			defer w.close()
			err := w.dial(address, t, conns)
			if err == nil {
				err = w.run()
			}
			stop.CompareAndSwap(false, err != nil)
			mu.Lock()
			defer mu.Unlock()
			total.times = append(total.times, w.times...)
			total.all += w.all
			failure = errors.Join(failure, err)
		})
	}
	finished := make(chan struct{})
	go func() { wg.Wait(); close(finished) }()
	sleep := func(d time.Duration) {
		select {
		case <-time.After(d):
		case <-finished:
		}
	}
	if d > 0 {
		sleep(min(warmUp, d))
	}
	counting.Store(true)
	begun := time.Now()
	if d > 0 {
		sleep(d)
		stop.Store(true)
	}
	<-finished
	total.took, total.count = time.Since(begun), int64(len(total.times))
	return total, errors.Join(failure, ctx.Err())
}

// worker is one thread with its connections.
type worker struct {
	counting, stop *atomic.Bool
	next           plan
	poll           *poller
	conns          map[int]*connection // by descriptor
	times          []time.Duration
	all            int64
}

type connection struct {
	number, turn int
	out, in      []byte
	requested    time.Time
}

func (w *worker) dial(address string, thread, conns int) (err error) {
	a, err := net.ResolveTCPAddr("tcp4", address)
	if err != nil {
		return err
	}
	if w.poll, err = newPoller(); err != nil {
		return err
	}
	w.conns = map[int]*connection{}
	for n := thread; n < conns; n += threads {
		fd, err := w.poll.dial(a)
		if err != nil {
			return err
		}
		w.conns[fd] = &connection{number: n}
	}
	return nil
}

func (w *worker) close() {
	for fd := range w.conns {
		w.poll.drop(fd)
	}
	w.poll.close()
}

func (w *worker) run() error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for fd, c := range w.conns {
		if err := w.ask(fd, c); err != nil {
			return err
		}
	}
	buf := make([]byte, 64<<10)
	for len(w.conns) > 0 && !w.stop.Load() {
		ready, err := w.poll.wait()
		if err != nil {
			return err
		}
		for _, fd := range ready {
			c := w.conns[fd]
			n, err := w.poll.read(fd, buf)
			if err != nil {
				return err
			}
			c.in = append(c.in, buf[:n]...)
			done, err := c.answered()
			if err != nil {
				return err
			}
			if !done {
				continue
			}
			w.all++
			if w.counting.Load() {
				w.times = append(w.times, time.Since(c.requested))
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
		delete(w.conns, fd)
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

// answered reports whether a complete response has arrived, and removes it. A response other than 2xx is an error.
func (c *connection) answered() (bool, error) {
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
	if head[9] != '2' {
		return false, fmt.Errorf("answer %s: %.300s", head[9:12], c.in[end+len(headEnd):whole])
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
