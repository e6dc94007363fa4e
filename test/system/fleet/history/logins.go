package history

import "fmt"

// second is the time after which a revoked token is refused, and after which every node shows a proof (L54).
const second = 1_000_000

// checkCodes finds codes that were exchanged twice.
func (c *checker) checkCodes() {
	first := map[string]int{}
	for _, i := range c.all(Redeem) {
		e := &c.h[i]
		if e.Result != Accepted {
			continue
		}
		if before, again := first[e.Code]; again {
			c.report(RuleCode, fmt.Sprintf("the code %s was exchanged twice", e.Code), before, i)
			continue
		}
		first[e.Code] = i
	}
}

// checkLogins finds logins that were PENDING again after a browser had seen another status: on the same node
// immediately, on others after a second.
func (c *checker) checkLogins() {
	decided := map[string]int{} // the first response, by login
	polls := c.all(Poll)
	for _, i := range polls {
		e := &c.h[i]
		if before, ok := decided[e.Login]; e.Status != "PENDING" && (!ok || e.End < c.h[before].End) {
			decided[e.Login] = i
		}
	}
	for _, i := range polls {
		e := &c.h[i]
		before, ok := decided[e.Login]
		if !ok || e.Status != "PENDING" {
			continue
		}
		since := c.h[before].End
		if c.h[before].Node != e.Node {
			since += second
		}
		if since < e.Begin {
			c.report(RuleLogin, fmt.Sprintf("the login %s was %s, and then PENDING", e.Login, c.h[before].Status), before, i)
		}
	}
}

// checkRevocations finds tokens and keys that were accepted after their deadline.
func (c *checker) checkRevocations() {
	revoked := map[string]int{} // the request with the first response, by token
	for _, i := range c.all(Revoke) {
		e := &c.h[i]
		if before, again := revoked[e.Token]; e.Result == Accepted && (!again || c.deadline(i) < c.deadline(before)) {
			revoked[e.Token] = i
		}
	}
	for _, i := range c.all(Use) {
		e := &c.h[i]
		if r, ok := revoked[e.Token]; ok && e.Result == Accepted && e.Begin > c.deadline(r) {
			c.report(RuleRevocation, fmt.Sprintf("%s was accepted %.3f s after it was revoked", e.Token, float64(e.Begin-c.h[r].End)/1e6), r, i)
		}
	}
}

// deadline returns the time from which a revoked token must be refused.
func (c *checker) deadline(revoke int) int64 {
	e := &c.h[revoke]
	if e.Within > 0 {
		return e.End + e.Within
	}
	return e.End + second
}
