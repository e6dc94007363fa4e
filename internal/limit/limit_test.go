package limit_test

import (
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/griot/internal/clock"
	"example.com/griot/internal/limit"
	"example.com/griot/internal/memtest"
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func TestAllow_BurstThenOneAtATime(t *testing.T) {
	c := clock.NewFake(start)
	l := limit.New(c.Now, 30, time.Minute, 5)
	for i := range 5 {
		if ok, _ := l.Allow("a"); !ok {
			t.Fatalf("the burst's number %d was refused", i+1)
		}
	}
	ok, retry := l.Allow("a")
	if ok || retry != 2*time.Second {
		t.Fatalf("after the burst: %v, retry after %v; want false, 2s", ok, retry)
	}
	if ok, _ := l.Allow("b"); !ok {
		t.Error("another key was refused")
	}
	c.Advance(retry - time.Millisecond)
	if ok, retry := l.Allow("a"); ok || retry != time.Millisecond {
		t.Errorf("a millisecond early: %v, %v", ok, retry)
	}
	c.Advance(time.Millisecond)
	if ok, _ := l.Check("a"); !ok {
		t.Error("Check refuses what Allow would allow")
	}
	if ok, _ := l.Allow("a"); !ok {
		t.Error("refused at the time that it named")
	}
	if ok, _ := l.Check("a"); ok {
		t.Error("Check allows what Allow would refuse")
	}
	c.Advance(time.Hour)
	for i := range 5 {
		if ok, _ := l.Allow("a"); !ok {
			t.Fatalf("after a long time, number %d was refused: the bucket isn't full", i+1)
		}
	}
	if ok, _ := l.Allow("a"); ok {
		t.Error("a long time allows more than the burst")
	}
}

func TestTake_ReturnsTheBucket(t *testing.T) {
	c := clock.NewFake(start)
	l := limit.New(c.Now, 2, time.Second, 3)
	for i, want := range []limit.Bucket{{0, 2, 500 * time.Millisecond}, {0, 1, time.Second}, {0, 0, 1500 * time.Millisecond}, {500 * time.Millisecond, 0, 1500 * time.Millisecond}} {
		if got := l.Take("k"); got != want {
			t.Errorf("number %d: %+v, want %+v", i+1, got, want)
		}
	}
	c.Advance(750 * time.Millisecond)
	if got, want := l.Take("k"), (limit.Bucket{Remaining: 0, Full: 1250 * time.Millisecond}); got != want {
		t.Errorf("later: %+v, want %+v", got, want)
	}
}

// An action can cost several tokens. One that costs more than a full bucket is possible with a full bucket.
func TestAllowN(t *testing.T) {
	c := clock.NewFake(start)
	l := limit.New(c.Now, 30, time.Minute, 5)
	for _, step := range []struct {
		n     int
		ok    bool
		retry time.Duration
	}{{3, true, 0}, {3, false, 2 * time.Second}, {2, true, 0}, {0, true, 0}, {-1, true, 0}, {1, false, 2 * time.Second}, {9, false, 10 * time.Second}} {
		if ok, retry := l.AllowN("a", step.n); ok != step.ok || retry != step.retry {
			t.Errorf("%d: %v, %v; want %v, %v", step.n, ok, retry, step.ok, step.retry)
		}
	}
	c.Advance(10 * time.Second)
	if ok, _ := l.AllowN("a", 9); !ok {
		t.Error("a full bucket refuses what costs more than it has")
	}
	if ok, retry := l.AllowN("a", 1); ok || retry != 2*time.Second {
		t.Errorf("an empty bucket: %v, %v", ok, retry)
	}
}

func TestAllow_Concurrently(t *testing.T) {
	l := limit.New(clock.NewFake(start).Now, 1, time.Minute, 10)
	var allowed atomic.Int64
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() {
			if ok, _ := l.Allow("k"); ok {
				allowed.Add(1)
			}
		})
	}
	wg.Wait()
	if n := allowed.Load(); n != 10 {
		t.Errorf("%d allowed, want 10", n)
	}
}

func TestMemoryIsBounded(t *testing.T) {
	c := clock.NewFake(start)
	l := limit.New(c.Now, 1, time.Hour, 1)
	for i := range 300_000 {
		l.Allow(strconv.Itoa(i))
	}
	if n := l.Len(); n > 16*8192 {
		t.Errorf("%d keys are remembered at once", n)
	}
	c.Advance(2 * time.Hour)
	for i := range 100_000 {
		l.Allow("second" + strconv.Itoa(i%1000))
	}
	if ok, _ := l.Allow("second1"); ok {
		t.Error("a key in use was forgotten")
	}
}

// If the clock goes back, no key waits longer than an empty bucket needs to fill.
func TestAllow_TheClockGoesBack(t *testing.T) {
	c := clock.NewFake(start)
	l := limit.New(c.Now, 1, time.Second, 2)
	l.Allow("k")
	l.Allow("k")
	c.Advance(-time.Hour)
	if ok, wait := l.Allow("k"); ok || wait != time.Second {
		t.Errorf("%v, wait %v", ok, wait)
	}
	c.Advance(time.Second)
	if ok, wait := l.Allow("k"); !ok {
		t.Errorf("a second later: wait %v", wait)
	}
}

// A made-up key uses no more memory than its hash, and a flood of them doesn't free refused keys.
func TestFlood(t *testing.T) {
	c := clock.NewFake(start)
	l := limit.New(c.Now, 5, time.Hour, 5)
	for range 5 {
		l.Allow("guesser")
	}
	long := strings.Repeat("x", 2000)
	memtest.CheckBounded(t, l, func(n int) { l.Allow(strconv.Itoa(n) + long) })
	for n := range 2 * memtest.Flood {
		l.Allow("more" + strconv.Itoa(n))
	}
	if n := l.Len(); n > 16*8192 {
		t.Errorf("%d keys are remembered", n)
	}
	if ok, _ := l.Allow("guesser"); ok {
		t.Error("the flood made the limiter forget who used up what it had")
	}
}

func TestFlood_Window(t *testing.T) {
	c := clock.NewFake(start)
	w := limit.NewWindow(c.Now, 5, 90*time.Second)
	memtest.CheckBounded(t, w, func(n int) {
		w.Allow(strconv.Itoa(n))
		c.Advance(time.Second)
	})
}

// Buckets that others might have emptied fill from now on, even if the clock is set back.
func TestNewEmpty_FillsFromNowOn(t *testing.T) {
	c := clock.NewFake(time.Unix(1_000_000, 0))
	l := limit.NewEmpty(c.Now, 1, time.Second, 3)
	wants := func(when string, want ...bool) {
		t.Helper()
		for i, w := range want {
			if ok, wait := l.Allow("k"); ok != w {
				t.Errorf("%s, ask %d: %v, wait %s; want %v", when, i, ok, wait, w)
			}
		}
	}
	wants("at first", false)
	c.Advance(time.Second)
	wants("after a second", true, false)
	c.Advance(5 * time.Second)
	wants("when it is full", true, true, true, false)
	l = limit.NewEmpty(c.Now, 1, time.Second, 3)
	c.Advance(-time.Hour)
	wants("an hour back", false)
	c.Advance(time.Second)
	wants("an hour back, a second later", true, false)
}
