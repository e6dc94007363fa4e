package task_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/griot/internal/logtest"
	"example.com/griot/internal/task"
)

func TestEvery_RunsAtOnceAndThenAtItsInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 150*time.Minute)
		defer cancel()
		begun, j := time.Now(), &logtest.Recorder{}
		var at []time.Duration
		err := task.Every(ctx, time.Hour, j.Logger(), "sweeping", func(context.Context) error {
			at = append(at, time.Since(begun))
			return nil
		})
		if err != nil || len(at) != 3 || at[0] != 0 || at[1] != time.Hour || at[2] != 2*time.Hour {
			t.Errorf("it ran after %v (%v), want at once and after one and two hours", at, err)
		}
		if got := j.String(); got != "" {
			t.Errorf("without an error it logs %q", got)
		}
	})
}

func TestEvery_LogsErrorsAndGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		j, calls := &logtest.Recorder{}, 0
		err := task.Every(ctx, time.Hour, j.Logger(), "sweeping", func(context.Context) error {
			if calls++; calls == 3 {
				cancel()
			}
			return errors.New("the database is away")
		})
		if err != nil || calls != 3 {
			t.Errorf("it ended with %v after %d calls", err, calls)
		}
		if got := j.String(); strings.Count(got, "sweeping") != 2 || strings.Count(got, "the database is away") != 2 {
			t.Errorf("it logged %q, want the two errors before its context ended", got)
		}
	})
}

func TestAll_WaitsForEachAndJoinsTheirErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second := errors.New("first"), errors.New("second")
		ended := make(chan struct{})
		err := task.All(t.Context(),
			task.Task{Run: func(context.Context) error { return first }},
			task.Task{Run: func(context.Context) error { time.Sleep(time.Minute); close(ended); return nil }},
			task.Task{Run: func(context.Context) error { return second }},
		)
		if !errors.Is(err, first) || !errors.Is(err, second) {
			t.Errorf("it returned %v", err)
		}
		select {
		case <-ended:
		default:
			t.Error("it did not wait for all")
		}
	})
}
