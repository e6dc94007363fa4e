package breaker_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"example.com/griot/internal/breaker"
)

var limits = &breaker.Limits{Window: time.Minute, MinAttempts: 10, FailureRatio: 0.7, FirstPause: 10 * time.Second, MaxPause: time.Minute}

var start = time.Unix(1_700_000_000, 0).UTC() // not the start of a slot

// step is an event, repeated, some time after the previous one.
type step struct {
	after time.Duration
	times int
	event breaker.Event
}

func after(t time.Duration, e breaker.Event) step { return step{t, 1, e} }

func run(steps []step) (s breaker.State, changed bool, now time.Time) {
	now = start
	for _, st := range steps {
		now = now.Add(st.after)
		for range st.times {
			s, changed = s.Next(limits, st.event, now)
		}
	}
	return s, changed, now
}

func TestNext(t *testing.T) {
	opened := []step{{0, 10, breaker.Failed}}
	probed := func(steps ...step) []step {
		return append([]step{{0, 10, breaker.Failed}, after(10*time.Second, breaker.ProbeStarted)}, steps...)
	}
	failedProbes := func(n int) []step {
		steps := opened
		for pause := 10 * time.Second; n > 0; n, pause = n-1, min(2*pause, time.Minute) {
			steps = append(steps, after(pause, breaker.ProbeStarted), after(0, breaker.ProbeFailed))
		}
		return steps
	}
	for name, tc := range map[string]struct {
		steps         []step
		pause, wait   time.Duration
		due, probing  bool
		changedAtLast bool
	}{
		"no attempts":                          {},
		"successes":                            {steps: []step{{0, 100, breaker.Succeeded}}},
		"too few attempts":                     {steps: []step{{0, 9, breaker.Failed}}},
		"the tenth failure":                    {steps: opened, pause: 10 * time.Second, wait: 10 * time.Second, changedAtLast: true},
		"a success does not open it":           {steps: []step{{0, 9, breaker.Failed}, after(0, breaker.Succeeded)}},
		"too few failures":                     {steps: []step{{0, 4, breaker.Succeeded}, {0, 9, breaker.Failed}}},
		"failures enough":                      {steps: []step{{0, 4, breaker.Succeeded}, {0, 10, breaker.Failed}}, pause: 10 * time.Second, wait: 10 * time.Second, changedAtLast: true},
		"failures of the last minute":          {steps: []step{{0, 5, breaker.Failed}, {49 * time.Second, 5, breaker.Failed}}, pause: 10 * time.Second, wait: 10 * time.Second, changedAtLast: true},
		"failures further apart":               {steps: []step{{0, 5, breaker.Failed}, {time.Minute, 5, breaker.Failed}}},
		"the pause runs":                       {steps: append(opened, after(9*time.Second, breaker.ProbeCanceled)), pause: 10 * time.Second, wait: time.Second},
		"the pause is over":                    {steps: append(opened, after(10*time.Second, breaker.ProbeCanceled)), pause: 10 * time.Second, due: true},
		"a late success in the pause":          {steps: append(opened, after(time.Second, breaker.Succeeded)), pause: 10 * time.Second, wait: 9 * time.Second},
		"a late failure in the pause":          {steps: append(opened, after(time.Second, breaker.Failed)), pause: 10 * time.Second, wait: 9 * time.Second},
		"a late success after the pause":       {steps: append(opened, after(10*time.Second, breaker.Succeeded)), pause: 10 * time.Second, due: true},
		"the probe":                            {steps: probed(), pause: 10 * time.Second, probing: true},
		"a late failure beside the probe":      {steps: probed(after(0, breaker.Failed)), pause: 10 * time.Second, probing: true},
		"a late success beside the probe":      {steps: probed(after(0, breaker.Succeeded)), pause: 10 * time.Second, probing: true},
		"the probe was not made":               {steps: probed(after(0, breaker.ProbeCanceled)), pause: 10 * time.Second, due: true},
		"the probe has succeeded":              {steps: probed(after(0, breaker.ProbeSucceeded)), changedAtLast: true},
		"the probe has failed":                 {steps: probed(after(0, breaker.ProbeFailed)), pause: 20 * time.Second, wait: 20 * time.Second, changedAtLast: true},
		"two probes have failed":               {steps: failedProbes(2), pause: 40 * time.Second, wait: 40 * time.Second, changedAtLast: true},
		"five probes have failed":              {steps: failedProbes(5), pause: time.Minute, wait: time.Minute, changedAtLast: true},
		"it counts anew once it is closed":     {steps: probed(after(0, breaker.ProbeSucceeded), step{0, 9, breaker.Failed})},
		"it opens for the first pause again":   {steps: probed(after(0, breaker.ProbeSucceeded), step{0, 10, breaker.Failed}), pause: 10 * time.Second, wait: 10 * time.Second, changedAtLast: true},
		"a probe of a closed one":              {steps: []step{after(0, breaker.ProbeStarted), {0, 9, breaker.ProbeFailed}}},
		"probes of a closed one count as well": {steps: []step{{0, 9, breaker.Failed}, after(0, breaker.ProbeFailed)}, pause: 10 * time.Second, wait: 10 * time.Second, changedAtLast: true},
	} {
		t.Run(name, func(t *testing.T) {
			s, changed, now := run(tc.steps)
			if s.Pause != tc.pause || s.Wait(now) != tc.wait || s.ProbeDue(now) != tc.due || s.Probing() != tc.probing || s.Closed() != (tc.pause == 0) {
				t.Errorf("pause %s, wait %s, probe due %v, probing %v; want %s, %s, %v, %v", s.Pause, s.Wait(now), s.ProbeDue(now), s.Probing(), tc.pause, tc.wait, tc.due, tc.probing)
			}
			if changed != tc.changedAtLast {
				t.Errorf("changed %v, want %v", changed, tc.changedAtLast)
			}
		})
	}
}

func TestHold(t *testing.T) {
	for name, tc := range map[string]struct {
		before  breaker.State
		asked   time.Duration
		pause   time.Duration
		wait    time.Duration
		changed bool
	}{
		"a closed one":               {asked: 30 * time.Second, pause: 10 * time.Second, wait: 30 * time.Second, changed: true},
		"for nothing":                {},
		"for longer than the most":   {asked: time.Hour, pause: 10 * time.Second, wait: time.Minute, changed: true},
		"an open one, for longer":    {before: breaker.State{Pause: 20 * time.Second, Until: start.Add(20 * time.Second)}, asked: 30 * time.Second, pause: 20 * time.Second, wait: 30 * time.Second, changed: true},
		"an open one, for less long": {before: breaker.State{Pause: 20 * time.Second, Until: start.Add(20 * time.Second)}, asked: 15 * time.Second, pause: 20 * time.Second, wait: 20 * time.Second},
	} {
		s, changed := tc.before.Hold(limits, tc.asked, start)
		if s.Pause != tc.pause || s.Wait(start) != tc.wait || changed != tc.changed {
			t.Errorf("%s: pause %s, wait %s, changed %v; want %s, %s, %v", name, s.Pause, s.Wait(start), changed, tc.pause, tc.wait, tc.changed)
		}
	}
}

func TestSetBack(t *testing.T) {
	s, _, now := run([]step{{0, 10, breaker.Failed}})
	if got := s.SetBack(time.Hour).Wait(now.Add(-time.Hour)); got != 10*time.Second {
		t.Errorf("after the clock went back the pause takes %s, want 10s", got)
	}
	s, _, now = run([]step{{0, 9, breaker.Failed}})
	if s, _ = s.SetBack(time.Second).Next(limits, breaker.Failed, now.Add(-time.Second)); !s.Closed() || s.SetBack(time.Hour).Until != (time.Time{}) {
		t.Errorf("state %+v, want closed: it counts anew when the clock went back", s)
	}
}

// In any sequence of events, a breaker opens only by its limits, for at most its maximum, and closes only by a probe.
func TestNext_Property(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		l := &breaker.Limits{
			Window: 6 * time.Second, MinAttempts: rapid.IntRange(1, 5).Draw(rt, "attempts"), FailureRatio: rapid.SampledFrom([]float64{0.3, 0.5, 1}).Draw(rt, "ratio"),
			FirstPause: time.Second, MaxPause: rapid.SampledFrom([]time.Duration{time.Second, 3 * time.Second, 8 * time.Second}).Draw(rt, "most"),
		}
		type attempt struct {
			at     time.Time
			failed bool
		}
		var s breaker.State
		var counted []attempt // since it last closed
		now := start
		for range rapid.IntRange(1, 60).Draw(rt, "steps") {
			now = now.Add(rapid.SampledFrom([]time.Duration{0, 0, 300 * time.Millisecond, time.Second, 4 * time.Second}).Draw(rt, "after"))
			before := s
			if rapid.IntRange(0, 19).Draw(rt, "hold") == 0 {
				asked := rapid.SampledFrom([]time.Duration{0, time.Second, time.Hour}).Draw(rt, "asked")
				if s, _ = s.Hold(l, asked, now); s.Wait(now) < min(asked, l.MaxPause) || s.Wait(now) < before.Wait(now) {
					rt.Fatalf("asked for %s it waits %s, before %s", asked, s.Wait(now), before.Wait(now))
				}
			} else {
				e := breaker.Event(rapid.IntRange(0, 5).Draw(rt, "event"))
				var changed bool
				s, changed = s.Next(l, e, now)
				if again, _ := before.Next(l, e, now); again != s {
					rt.Fatalf("the same event made %+v and %+v", s, again)
				}
				if changed != (s.Pause != before.Pause || !s.Until.Equal(before.Until)) {
					rt.Fatalf("event %d: changed %v, from %+v to %+v", e, changed, before, s)
				}
				failed := e == breaker.Failed || e == breaker.ProbeFailed
				switch result := failed || e == breaker.Succeeded || e == breaker.ProbeSucceeded; {
				case before.Closed() && result:
					counted = append(counted, attempt{now, failed})
					attempts, failures := 0, 0
					for _, a := range counted {
						if a.at.Unix() > now.Unix()-6 { // a slot is a second
							attempts++
							if a.failed {
								failures++
							}
						}
					}
					opens := failed && attempts >= l.MinAttempts && float64(failures) >= l.FailureRatio*float64(attempts)
					if s.Closed() == opens || opens && s.Wait(now) != l.FirstPause {
						rt.Fatalf("%d of %d attempts have failed: closed %v, wait %s", failures, attempts, s.Closed(), s.Wait(now))
					}
				case before.Closed() && !s.Closed():
					rt.Fatalf("event %d opened it", e)
				case !before.Closed() && s.Closed() != (e == breaker.ProbeSucceeded):
					rt.Fatalf("event %d: closed %v", e, s.Closed())
				case e == breaker.ProbeFailed && !before.Closed() && (s.Pause != min(2*before.Pause, l.MaxPause) || s.Wait(now) != max(s.Pause, before.Wait(now))):
					rt.Fatalf("after a failed probe the pause is %s, it was %s; it waits %s", s.Pause, before.Pause, s.Wait(now))
				}
			}
			if !s.Closed() {
				counted = nil
			}
			if s.Wait(now) > l.MaxPause || s.Closed() && (s.Wait(now) > 0 || s.Probing()) || !s.Closed() && s.Pause < l.FirstPause {
				rt.Fatalf("state %+v", s)
			}
			if n := trues(s.Closed(), s.Wait(now) > 0, s.Wait(now) == 0 && s.Probing(), s.ProbeDue(now)); n != 1 {
				rt.Fatalf("%+v is in %d states at once", s, n)
			}
		}
	})
}

func trues(all ...bool) (n int) {
	for _, b := range all {
		if b {
			n++
		}
	}
	return n
}
