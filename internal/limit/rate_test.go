package limit_test

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/clock"
	"example.com/griot/internal/limit"
)

func TestRate_ReadsWhatItWrites(t *testing.T) {
	for _, text := range []string{"0", "30/1m", "5/10m", "5/5s", "10/1h", "1000000/24h", "1/1s", "7/1m30s", "7/1h30m", "7/1h0m1s"} {
		var r limit.Rate
		if err := r.UnmarshalText([]byte(text)); err != nil || r.String() != text {
			t.Errorf("%s: %s, %v", text, r, err)
		}
	}
	for _, text := range []string{"", "30", "30/m", "30/minute", "-1/1m", "0/1m", "1.5/1m", "30/1ms", "30/25h", "1000001/1m", "30/1m/2", " 30/1m", "secret"} {
		r := limit.Rate{Times: 7, Period: time.Minute}
		if err := r.UnmarshalText([]byte(text)); err == nil || r.Times != 7 || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q became %s, %v", text, r, err)
		}
	}
}

func TestRate_ZeroIsNoLimit(t *testing.T) {
	l, w := limit.Rate{}.Limiter(clock.NewFake(start).Now), limit.NewWindow(clock.NewFake(start).Now, 0, time.Minute)
	for range 1000 {
		allowed, _ := l.Allow("k")
		checked, _ := l.Check("k")
		counted, _ := w.Allow("k")
		if !allowed || !checked || !counted {
			t.Fatalf("refused: %v %v %v", allowed, checked, counted)
		}
	}
}

func TestAddress(t *testing.T) {
	for in, want := range map[string]string{
		"192.0.2.7": "192.0.2.7", "::ffff:192.0.2.7": "192.0.2.7", "2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64", "fe80::1%eth0": "fe80::/64", "::1": "::/64",
	} {
		if got := limit.Address(netip.MustParseAddr(in)); got != want {
			t.Errorf("%s counts as %s, want %s", in, got, want)
		}
	}
	if got := limit.Address(netip.Addr{}); got != "invalid IP" {
		t.Errorf("no address counts as %q", got)
	}
}

func TestWindow(t *testing.T) {
	c := clock.NewFake(start)
	w := limit.NewWindow(c.Now, 3, 90*time.Second)
	for range 3 {
		if ok, _ := w.Allow("a"); !ok {
			t.Fatal("refused too early")
		}
		c.Advance(10 * time.Second)
	}
	ok, retry := w.Allow("a")
	if ok || retry < 60*time.Second || retry > 63*time.Second { // the first one's 90 s, and a slot
		t.Fatalf("the fourth: %v, retry after %v", ok, retry)
	}
	if ok, _ := w.Allow("b"); !ok {
		t.Error("another key was refused")
	}
	c.Advance(retry - time.Millisecond)
	if ok, _ := w.Allow("a"); ok {
		t.Error("allowed before its time")
	}
	c.Advance(time.Millisecond)
	if ok, _ := w.Allow("a"); !ok {
		t.Error("refused at the time that it named")
	}
	if ok, _ := w.Allow("a"); ok {
		t.Error("one was over, and two were allowed")
	}
	c.Advance(-time.Hour) // the clock goes back: no count is lost
	if ok, _ := w.Allow("a"); ok {
		t.Error("allowed since the clock went back")
	}
	c.Advance(3 * time.Hour)
	for range 3 {
		if ok, _ := w.Allow("a"); !ok {
			t.Error("refused after a long time")
		}
	}
}

func TestWindow_ForgetsIdleKeys(t *testing.T) {
	c := clock.NewFake(start)
	w := limit.NewWindow(c.Now, 1, time.Minute)
	for i := range 20_000 {
		w.Allow(fmt.Sprint(i))
		c.Advance(time.Second)
	}
	if n := w.Len(); n < 60 || n > 2048 {
		t.Errorf("%d keys are remembered, want those of the last minute, and at most 2048", n)
	}
}
