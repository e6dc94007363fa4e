package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"
)

// Subjects in addition to the program under test. Comparisons of two programs don't have them.
const (
	bareInsert     = "bare insert"
	compositeLimit = "composite limit"
)

// subject is a measured subject of a scenario, with one sample per round.
type subject struct {
	Name    string    `json:"name"`
	Samples []*sample `json:"samples"`
	Median  *sample   `json:"median"`            // of each number
	OfLimit *spread   `json:"ofLimit,omitempty"` // messages per second, as a ratio to the composite limit's in the same round
	OfBare  *spread   `json:"ofBare,omitempty"`  // and to the bare insert's
}

// sample are the figures of one load of one subject. In scenarios of batches, a call is a batch.
type sample struct {
	Rate       float64 `json:"perSecond"`           // messages
	P50        float64 `json:"p50Ms"`               // of a call; 0 of queued messages that resume
	P99        float64 `json:"p99Ms"`               // of a call; 0 of queued messages that resume
	Memory     float64 `json:"memoryMaxMB"`         //
	CPU        float64 `json:"cpuMicros"`           // of the process, per message
	Database   float64 `json:"databaseMicros"`      // of PostgreSQL's processes, per message
	OfLater    float64 `json:"cpuOfLater"`          // first five seconds: CPU as a ratio to that of the settled program in the same load; else 0
	EventsEach float64 `json:"eventsDeliveredEach"` // delivered webhook events during the load, per message
	Accepted   int64   `json:"accepted"`            // messages, including warm-up
	Waiting    int64   `json:"waiting"`             // messages among them that no gateway had at the end
}

// newSample returns the figures of a load in which so many calls used the processor.
func newSample(res *result, calls int64, used usage, memory float64) *sample {
	each := func(d time.Duration) float64 { return float64(d.Microseconds()) / float64(max(calls, 1)) }
	return &sample{Rate: res.rate(), P50: millis(res.p(0.5)), P99: millis(res.p(0.99)), Memory: memory, CPU: each(used.own), Database: each(used.database), Accepted: res.all}
}

// each returns the figures per message, if a call has so many messages.
func (s *sample) each(messages int) *sample {
	n := float64(messages)
	s.Rate, s.CPU, s.Database, s.Accepted = s.Rate*n, s.CPU/n, s.Database/n, s.Accepted*int64(messages)
	return s
}

// compared is the first program's numbers as ratios to the second's in the same round.
type compared struct {
	Rate   spread `json:"perSecond"`
	P99    spread `json:"p99"`
	Memory spread `json:"memory"`
	CPU    spread `json:"cpu"`
}

func compare(a, b *subject) *compared {
	return &compared{Rate: ratios(a, b, rateOf), P99: ratios(a, b, p99Of), Memory: ratios(a, b, memoryOf), CPU: ratios(a, b, cpuOf)}
}

// spread is the median, minimum, and maximum of some numbers.
type spread struct {
	Median float64 `json:"median"`
	Least  float64 `json:"least"`
	Most   float64 `json:"most"`
}

func (s spread) String() string { return fmt.Sprintf("%.2f (%.2f to %.2f)", s.Median, s.Least, s.Most) }

func spreadOf(values []float64) spread {
	v := slices.Sorted(slices.Values(values))
	if len(v) == 0 {
		return spread{}
	}
	return spread{Median: (v[(len(v)-1)/2] + v[len(v)/2]) / 2, Least: v[0], Most: v[len(v)-1]}
}

// ratios compares two subjects round by round.
func ratios(a, b *subject, of func(*sample) float64) spread {
	var all []float64
	for i, s := range a.Samples {
		all = append(all, of(s)/max(of(b.Samples[i]), 1e-9))
	}
	return spreadOf(all)
}

func (s *subject) median() *sample {
	of := func(number func(*sample) float64) float64 {
		var all []float64
		for _, sample := range s.Samples {
			all = append(all, number(sample))
		}
		return spreadOf(all).Median
	}
	return &sample{
		Rate: of(rateOf), P50: of(func(s *sample) float64 { return s.P50 }), P99: of(p99Of), Memory: of(memoryOf),
		CPU: of(cpuOf), Database: of(func(s *sample) float64 { return s.Database }),
		OfLater:    of(func(s *sample) float64 { return s.OfLater }),
		EventsEach: of(func(s *sample) float64 { return s.EventsEach }),
		Accepted:   int64(of(func(s *sample) float64 { return float64(s.Accepted) })),
		Waiting:    int64(of(func(s *sample) float64 { return float64(s.Waiting) })),
	}
}

func rateOf(s *sample) float64   { return s.Rate }
func p99Of(s *sample) float64    { return s.P99 }
func memoryOf(s *sample) float64 { return s.Memory }
func cpuOf(s *sample) float64    { return s.CPU }

// summarize computes the medians and ratios of all rounds.
func (sc *scenario) summarize() {
	for _, s := range sc.Subjects {
		s.Median = s.median()
	}
	if sc.Subjects[0].Name != bareInsert {
		if len(sc.Subjects) == 2 {
			sc.Compared = compare(sc.Subjects[0], sc.Subjects[1])
		}
		return
	}
	inserts, limit := sc.Subjects[0], sc.Subjects[1]
	for _, s := range sc.Subjects[2:] {
		ofLimit, ofBare := ratios(s, limit, rateOf), ratios(s, inserts, rateOf)
		s.OfLimit, s.OfBare = &ofLimit, &ofBare
	}
}

// show prints a scenario.
func (r *report) show(sc *scenario) {
	r.kept.Sends = append(r.kept.Sends, sc)
	r.print(sc.Name, "", "", sc.Target)
	for _, s := range sc.Subjects {
		m, ratio, more := s.Median, "", ""
		if s.OfLimit != nil {
			ratio = fmt.Sprintf("%.2f", s.OfLimit.Median)
			more = fmt.Sprintf(", %.2f of bare insert", s.OfBare.Median)
		}
		if m.OfLater > 0 {
			more += fmt.Sprintf(", %.2f of its processor time later", m.OfLater)
		}
		if m.Waiting > 0 {
			more += fmt.Sprintf(", %d messages not handed over", m.Waiting)
		}
		if m.EventsEach > 0 {
			more += fmt.Sprintf(", %.2f events delivered a message", m.EventsEach)
		}
		cpu := fmt.Sprintf("%.0f", m.CPU)
		if m.Database > 0 {
			cpu += fmt.Sprintf(" + %.0f", m.Database)
		}
		if m.P50 > 0 {
			cpu = fmt.Sprintf("p50 %.1f ms, p99 %.1f ms, %s", m.P50, m.P99, cpu)
		}
		r.print("  "+s.Name, fmt.Sprintf("%.0f/s", m.Rate), ratio, fmt.Sprintf("%s µs, %.0f MB%s", cpu, m.Memory, more))
	}
	if c := sc.Compared; c != nil {
		r.showCompared(sc.Subjects[0].Name, sc.Subjects[1].Name, c)
	}
}

func (r *report) showCompared(a, b string, c *compared) {
	calls := ""
	if c.P99.Median > 0 {
		calls = fmt.Sprintf(", p99 %s", c.P99)
	}
	r.print("  "+a+" / "+b, "", fmt.Sprintf("%.2f", c.CPU.Median), fmt.Sprintf("processor time %s, throughput %s%s, memory %s", c.CPU, c.Rate, calls, c.Memory))
}

// programs returns the programs under test: the measured one, and the one for comparison.
func programs(o *options) []*program {
	all := []*program{{name: filepath.Base(o.binary), path: o.binary}}
	if o.against == "" {
		return all
	}
	all = append(all, &program{name: filepath.Base(o.against), path: o.against})
	if all[0].name == all[1].name {
		all[0].name, all[1].name = all[0].name+" A", all[1].name+" B"
	}
	return all
}
