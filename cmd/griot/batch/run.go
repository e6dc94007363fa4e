package batch

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	griot "example.com/griot/client"
)

const (
	chunkRows     = 100 // the maximum of the service
	chunkBytes    = 512 << 10
	maxAttempts   = 12 // of a request whose messages the service defers
	firstPause    = time.Second
	longestPause  = 30 * time.Second
	longestWait   = 10 * time.Minute // that a service can request
	endTime       = 5 * time.Second  // for requests in flight after an interruption
	defaultWorker = 4
)

// Options are the settings of a run.
type Options struct {
	API       *griot.Client
	Parallel  int  // concurrent requests; 0: 4
	Simulated bool // the service only simulates the messages
	Report    *Report
	Progress  func(Result) // called after each request, not concurrently; can be nil
	Pause     func(ctx context.Context, d time.Duration) error
}

// Result is the progress of a batch.
type Result struct {
	Rows     int // of the file
	Accepted int // stored by the service
	Repeated int // of the accepted: stored by the service in an earlier run, or from an earlier row
	Failed   int // listed in the report
}

// Done returns the number of processed rows.
func (r Result) Done() int { return r.Accepted + r.Failed }

// StoppedError is returned by a run that ended before its last row. The same run continues there if it
// is started again.
type StoppedError struct {
	Code string // of the service, or "changed", "interrupted", "no_answer"
	Err  error
}

func (e *StoppedError) Error() string { return e.Err.Error() }

func (e *StoppedError) Unwrap() error { return e.Err }

// chunk is the rows of one request.
type chunk struct {
	rows     []Row
	messages []*griot.Message
	earlier  []string // the keys of earlier versions; empty: none
}

// add adds a row of another chunk.
func (c *chunk) add(of *chunk, i int) {
	c.rows, c.messages, c.earlier = append(c.rows, of.rows[i]), append(c.messages, of.messages[i]), append(c.earlier, of.earlier[i])
}

// runner is the state of a run.
type runner struct {
	o    Options
	plan *Plan

	mu      sync.Mutex
	result  Result
	stopped error // the first reason to stop
	stop    context.CancelFunc
}

// Run sends a batch's rows. Rows that the service refuses are in the report. An error is a reason to stop, and is
// returned with the result until then.
func Run(ctx context.Context, p *Plan, o Options) (Result, error) {
	if p.Bad > 0 {
		return Result{}, errors.New("some rows can't be sent")
	}
	if o.Parallel <= 0 {
		o.Parallel = defaultWorker
	}
	if o.Pause == nil {
		o.Pause = pause
	}
	reading, stop := context.WithCancel(ctx)
	defer stop()
	r := &runner{o: o, plan: p, result: Result{Rows: p.Rows}, stop: stop}
	requests, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(endTime, cancel) })()
	chunks := make(chan chunk)
	var workers sync.WaitGroup
	for range o.Parallel {
		workers.Go(func() {
			for c := range chunks {
				r.send(reading, requests, c)
			}
		})
	}
	err := r.read(reading, chunks)
	close(chunks)
	workers.Wait()
	switch {
	case r.stopped != nil:
		err = r.stopped
	case ctx.Err() != nil:
		err = &StoppedError{"interrupted", ctx.Err()}
	}
	return r.result, err
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

var errChanged = &StoppedError{"changed", errors.New("the file changed while it was being sent")}

// read passes the rows to the workers, in chunks, until it is stopped.
func (r *runner) read(ctx context.Context, chunks chan<- chunk) error {
	if r.plan.source.changed() {
		return errChanged
	}
	k := newKeys(r.plan, r.o.Simulated)
	var c chunk
	size := 0
	give := func() error {
		select {
		case chunks <- c:
			c, size = chunk{}, 0
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	for row, err := range r.plan.source.Rows() {
		var m *griot.Message
		if err == nil {
			m, err = r.plan.message.make(row)
		}
		if err != nil {
			return errors.Join(errChanged, err) // the row was valid in the check
		}
		earlier := ""
		if m.IdempotencyKey, earlier, err = k.next(m, row); err != nil {
			return err
		}
		r.plan.note(m)
		n := len(m.Text) + len(m.HTML) + len(m.Subject) + 512
		if len(c.rows) == chunkRows || size > 0 && size+n > chunkBytes {
			if err := give(); err != nil {
				return err
			}
		}
		c.add(&chunk{[]Row{row}, []*griot.Message{m}, []string{earlier}}, 0)
		size += n
	}
	if len(c.rows) > 0 {
		if err := give(); err != nil {
			return err
		}
	}
	if r.plan.source.changed() {
		return errChanged
	}
	return nil
}

// send sends a chunk: first it asks for the messages that earlier versions sent, and then it sends the others. reading
// ends when there is a reason to stop, and requests ends when the requests in flight must end, too.
func (r *runner) send(reading, requests context.Context, c chunk) {
	var known, fresh chunk // possibly known to the service, and not known
	for i, key := range c.earlier {
		if key == "" {
			fresh.add(&c, i)
		} else {
			known.add(&c, i)
		}
	}
	r.repeat(reading, requests, known, questions, func(c chunk, res *griot.BatchResult) (chunk, string, error) {
		return r.noteEarlier(c, res, &fresh)
	})
	r.repeat(reading, requests, fresh, func(c chunk) []*griot.Message { return c.messages }, r.note)
}

// questions returns requests that ask the service whether it has messages under the keys of earlier versions, so that
// rows that an earlier version sent are not sent again. The service looks up a key before it checks the fields (M74),
// and a message without a recipient can't be sent.
func questions(c chunk) []*griot.Message {
	all := make([]*griot.Message, len(c.earlier))
	for i, key := range c.earlier {
		all[i] = &griot.Message{IdempotencyKey: key, Sandbox: c.messages[i].Sandbox}
	}
	return all
}

// noteEarlier records the answers to questions: a row that an earlier version sent has its result. The others are
// added to fresh.
func (r *runner) noteEarlier(c chunk, res *griot.BatchResult, fresh *chunk) (later chunk, code string, err error) {
	if len(res.Results) != len(c.messages) {
		return chunk{}, "", errUnexpected
	}
	var known chunk
	results := &griot.BatchResult{}
	for i := range res.Results {
		switch item := &res.Results[i]; {
		case item.HTTPStatus == http.StatusBadRequest && item.Field == "to":
			fresh.add(&c, i)
		case item.HTTPStatus == http.StatusBadRequest, item.Success && !item.Deduplicated:
			return chunk{}, "", errUnexpected
		default:
			known.add(&c, i)
			results.Results = append(results.Results, *item)
		}
	}
	return r.note(known, results)
}

var errUnexpected = &StoppedError{griot.CodeUnexpected, errors.New("the service's response doesn't match the request: check the URL")}

// repeat requests what the requests of a chunk ask, until the service defers none of them.
func (r *runner) repeat(reading, requests context.Context, c chunk, ask func(chunk) []*griot.Message, note func(chunk, *griot.BatchResult) (later chunk, code string, err error)) {
	for attempt := 1; len(c.messages) > 0 && reading.Err() == nil; attempt++ {
		res, err := r.o.API.SendBatch(requests, &griot.Batch{Messages: ask(c), ContinueOnError: true})
		var later chunk
		code, wait := "", time.Duration(0)
		if err != nil {
			e, answered := errors.AsType[*griot.Error](err)
			if !answered || e.HTTPStatus != http.StatusTooManyRequests && e.HTTPStatus != http.StatusServiceUnavailable || e.RetryAfter > longestWait {
				r.end(stoppedBy(err))
				return
			}
			later, code, wait = c, e.Code, e.RetryAfter
		} else if later, code, err = note(c, res); err != nil {
			r.end(err)
			return
		}
		if c = later; len(c.messages) == 0 {
			return
		}
		if attempt == maxAttempts {
			r.end(&StoppedError{code, fmt.Errorf("the service keeps postponing messages: %s", code)})
			return
		}
		if r.o.Pause(reading, max(wait, backoff(attempt))) != nil {
			return
		}
	}
}

// backoff doubles with each attempt. Half of it is random, so that requests that were deferred together are not
// repeated together.
func backoff(attempt int) time.Duration {
	d := min(firstPause<<min(attempt-1, 10), longestPause)
	return d/2 + rand.N(d/2+1)
}

func stoppedBy(err error) error {
	if e, ok := errors.AsType[*griot.Error](err); ok {
		return &StoppedError{e.Code, err}
	}
	return &StoppedError{"no_answer", err}
}

// note records the results of a chunk's messages, and returns the messages to repeat.
func (r *runner) note(c chunk, res *griot.BatchResult) (later chunk, code string, err error) {
	if len(res.Results) != len(c.messages) {
		return chunk{}, "", errUnexpected
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range res.Results {
		switch item := &res.Results[i]; {
		case item.Success && !item.Status.HasFailed():
			r.result.Accepted++
			if item.Deduplicated {
				r.result.Repeated++
			}
		case item.Code == "overloaded", item.Code == "rate_limited", item.Code == "storage_unavailable", item.Code == "internal":
			later.add(&c, i)
			code = item.Code
		case item.Code == "quota_exceeded", item.Code == "gateway_not_connected", item.Code == "sender_paused", item.Code == "account_closed", item.Code == "account_suspended":
			if err == nil { // the results of the others are still counted
				err = &StoppedError{item.Code, fmt.Errorf("%s: %s", item.Code, item.Message)}
			}
		default:
			r.result.Failed++
			code, why := item.Code, item.Message
			if item.Success { // a service of release 0.1.0 repeats an expired message like this
				code, why = strings.ToLower(string(item.Status)), "An earlier run sent this message, but it wasn't delivered."
			}
			if failed := r.o.Report.Add(c.rows[i], code, why, item.MessageID); failed != nil && err == nil {
				err = &StoppedError{"report", fmt.Errorf("the report: %w", failed)}
			}
		}
	}
	if r.o.Progress != nil {
		r.o.Progress(r.result)
	}
	return later, code, err
}

// end stops the run with a reason. The first reason is kept.
func (r *runner) end(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped == nil {
		r.stopped = err
	}
	r.stop()
}
