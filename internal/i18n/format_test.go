package i18n_test

import (
	"testing"
	"time"

	"example.com/griot/internal/i18n"
)

func TestPercent(t *testing.T) {
	for of, want := range map[[2]int64][2]string{
		{941, 1000}: {"94,1\u202f%", "94.1%"}, {3, 100}: {"3,0\u202f%", "3.0%"}, {0, 7}: {"0\u202f%", "0%"}, {7, 7}: {"100\u202f%", "100%"}, {0, 0}: {"–", "–"},
	} {
		if fr, en := i18n.FR.Percent(of[0], of[1]), i18n.EN.Percent(of[0], of[1]); fr != want[0] || en != want[1] {
			t.Errorf("%v: %q and %q, want %q and %q", of, fr, en, want[0], want[1])
		}
	}
}

func TestTimes(t *testing.T) {
	at := time.Date(2026, 3, 4, 23, 30, 0, 0, time.UTC)
	zone := time.FixedZone("WAT", 60*60)
	for got, want := range map[string]string{
		i18n.FR.Moment(at): "04/03/2026 23:30 UTC", i18n.EN.Moment(at.In(zone)): "5 Mar 2026, 00:30 WAT", i18n.FR.Date(at.In(zone)): "05/03/2026",
		i18n.EN.Date(at): "4 Mar 2026", i18n.EN.Day(at.In(zone)): "5 Mar",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestWait(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "", -time.Second: "", 1500 * time.Millisecond: "Try again in 2\u00a0s.", 119 * time.Second: "Try again in 119\u00a0s.", 10 * time.Minute: "Try again in 10\u00a0min.", 5 * time.Hour: "Try again in 5\u00a0h.",
	} {
		if got := i18n.EN.Wait(d); got != want {
			t.Errorf("%s: %q, want %q", d, got, want)
		}
	}
}
