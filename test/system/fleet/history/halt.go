package history

import (
	"fmt"
	"math"
)

// checkHalts finds messages that were submitted although they had been canceled, or although their recipient had opted
// out or their account was suspended while they waited.
//
// A call can arrive after the response to an opt-out or a suspension if it was in progress. So those two rules only
// apply to messages that were read as waiting after that response: no call of theirs was in progress. A cancellation is
// refused if a call might be in progress.
func (c *checker) checkHalts() {
	canceled, suspensions := map[string]int{}, map[string][]int{}
	for _, i := range c.all(Cancel) {
		if e := &c.h[i]; e.Result == Accepted {
			canceled[e.Message] = i
		}
	}
	for _, i := range c.all(Suspend) {
		if e := &c.h[i]; e.Result == Accepted {
			suspensions[e.Account] = append(suspensions[e.Account], i)
		}
	}
	resumes := c.all(Resume)
	for _, m := range c.sorted() {
		if i, ok := canceled[m.id]; ok && len(m.taken) > 0 {
			c.report(RuleCanceled, m.id+" was canceled, and was handed over", i, m.taken[0])
		}
		if m.send < 0 {
			continue
		}
		s := &c.h[m.send]
		for _, i := range c.stops[recipient{s.Account, s.To}] {
			if c.h[i].Result != Accepted {
				continue
			}
			if w, call := c.calledBefore(m, i, math.MaxInt64); call >= 0 {
				c.report(RuleStopped, m.id+" waited after its recipient had opted out, and was handed over", i, w, call)
				break
			}
		}
		for _, i := range suspensions[s.Account] {
			if w, call := c.calledBefore(m, i, c.resumed(i, resumes)); call >= 0 {
				c.report(RuleSuspended, fmt.Sprintf("%s waited after %s had been suspended, and was handed over before the end of the suspension", m.id, s.Account), i, w, call)
				break
			}
		}
	}
}

// calledBefore returns the first call of a message before a time that followed a moment at which the message waited
// although it was halted by an event, and the event of that moment. call is -1 if there is none.
func (c *checker) calledBefore(m *message, halt int, before int64) (waits, call int) {
	for _, w := range m.waits {
		if c.h[w].Begin < c.h[halt].End {
			continue
		}
		for _, i := range m.calls {
			if at := c.h[i].Begin; at > c.h[w].End && at < before {
				return w, i
			}
		}
	}
	return -1, -1
}

// resumed returns the earliest time at which a suspension might have ended: the start of the first request to end it,
// even if the request was not acknowledged.
func (c *checker) resumed(suspend int, resumes []int) int64 {
	for _, i := range resumes {
		if c.h[i].Account == c.h[suspend].Account && c.h[i].End >= c.h[suspend].Begin {
			return c.h[i].Begin
		}
	}
	return math.MaxInt64
}
