package main

import (
	"context"
	"fmt"
	"time"

	"example.com/griot/internal/db"
)

const (
	resumeMessages = 100_000 // queued messages of one sender
	resumeCallers  = 200     // that send them, in batches; many, because a response can take seconds during a pause
	resumeVerify   = 4       // callers with -verify
	resumePoll     = 20 * time.Millisecond
	resumeLongest  = 10 * time.Minute
)

// queue returns the scenario with the queued messages of a paused sender that resumes.
func (o *options) queue(engine db.Engine) *scenario {
	callers := resumeCallers
	if o.verify > 0 {
		callers = resumeVerify
	}
	return &scenario{
		Name: fmt.Sprintf("resume, %s, %d queued messages", engine, resumeMessages), Engine: engine, Connections: callers,
		batch: batchSize, hot: true, resumes: true,
	}
}

// resumed sends messages while sending is paused, and then measures the time from the resume until the gateway has all
// of them. The pause is that of the deployment, because routes skip paused senders.
func (s *sendBench) resumed(ctx context.Context, sc *scenario, r *running) (*sample, error) {
	if err := r.operate(ctx, r.folder, "sending.pause"); err != nil {
		return nil, err
	}
	requests := s.requests
	if requests == 0 {
		requests = resumeMessages / sc.Connections / sc.messages()
	}
	filled, err := (&loader{address: host(r.BaseURL), conns: sc.Connections, next: sc.plan(r.of.keys, requests), right: sc.right}).run(ctx)
	if err != nil {
		return nil, err
	}
	messages := filled[0].all * int64(sc.messages())
	time.Sleep(time.Until(r.started.Add(settleTime)))
	d, err := db.Inspect(ctx, r.url())
	if err != nil {
		return nil, err
	}
	defer func() { _ = d.Close() }()
	all, err := statuses(ctx, d)
	if err == nil && waitingOf(all) != messages {
		err = fmt.Errorf("%w: during the pause, %d messages were accepted, and stored are %v", errStored, messages, all)
	}
	if err != nil {
		return nil, err
	}
	profiled := r.startProfile(ctx, s.profile, after(0, s.roundTime()))
	defer profiled()
	before, begun := s.usage(ctx, sc, r.process()), time.Now()
	if err := r.operate(ctx, r.folder, "sending.resume"); err != nil {
		return nil, err
	}
	if err := handedOver(ctx, d, begun.Add(resumeLongest)); err != nil {
		return nil, err
	}
	res := &result{count: messages, all: messages, took: time.Since(begun)}
	return newSample(res, messages, s.usage(ctx, sc, r.process()).since(before), r.most()), nil
}

// handedOver waits until no message waits for its gateway or for the gateway's answer.
func handedOver(ctx context.Context, d *db.DB, deadline time.Time) error {
	for {
		// Counting reads all messages, so it waits until the index of the queued ones is empty.
		queued, err := d.Read(ctx).Row(`SELECT id FROM messages WHERE status = 'QUEUED' AND due_at IS NULL LIMIT 1`).Scan(new(string))
		var all map[string]int64
		if err == nil && !queued {
			all, err = statuses(ctx, d)
		}
		if err != nil || !queued && waitingOf(all) == 0 {
			return err
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%w: messages still wait after too long a time, and stored are %v", errStored, all)
		}
		time.Sleep(resumePoll)
	}
}
