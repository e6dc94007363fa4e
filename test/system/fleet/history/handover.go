package history

import (
	"fmt"
	"slices"
)

// Codes of failures.
const (
	outcomeUnknown = "outcome_unknown"
	optedOut       = "recipient_opted_out"
)

// ranks are the final statuses, and SENT and DELIVERED, which receipts can still change.
var ranks = map[string]int{"SENT": 1, "FAILED": 2, "EXPIRED": 2, "CANCELED": 2, "DELIVERED": 3, "READ": 4}

// handedOver reports whether a status means that a gateway has the message.
func handedOver(status string) bool {
	return status == "SENT" || status == "DELIVERED" || status == "READ"
}

func (c *checker) checkHandOver() {
	for _, m := range c.sorted() {
		if m.send >= 0 {
			c.checkEnd(m)
		}
		c.checkCopies(m)
	}
	c.checkKeys()
}

// checkEnd compares an accepted message's final status with the calls of its gateway.
func (c *checker) checkEnd(m *message) {
	status := c.status(m)
	taken := len(m.taken) > 0
	unknown := status == "FAILED" && m.final >= 0 && c.h[m.final].Code == outcomeUnknown
	stopped := len(c.stops[recipient{c.h[m.send].Account, c.h[m.send].To}]) > 0 // perhaps
	switch {
	case status == "":
		c.report(RuleLost, m.id+" was accepted, and its status was not found", m.send)
	case ranks[status] == 0:
		c.report(RuleLost, m.id+" was accepted, and is still "+status, m.send, m.final)
	case handedOver(status) && !taken:
		c.report(RuleLost, fmt.Sprintf("%s is %s, and its gateway never had it", m.id, status), m.send, m.final)
	case unknown && !taken && !stopped && (c.class(c.h[m.send].Gateway) == Deduplicates || c.class(c.h[m.send].Gateway) == Asked):
		c.report(RuleLost, m.id+" ended with an unknown outcome, and its gateway, which could be asked or called again, never had it", m.send, m.final)
	case status == "CANCELED" && !m.canceled:
		c.report(RuleLost, m.id+" is CANCELED, and no one canceled it", m.send, m.final)
	case status == "FAILED" && c.h[m.final].Code == optedOut && len(m.calls) == 0 && stopped:
	case (status == "FAILED" || status == "EXPIRED") && !unknown && len(m.calls) == 0 && c.class(c.h[m.send].Gateway) != Phone:
		c.report(RuleLost, fmt.Sprintf("%s is %s, and its gateway was never called", m.id, status), m.send, m.final)
	case !handedOver(status) && !unknown && taken && !c.reportedFailed(m):
		c.report(RuleUntrue, fmt.Sprintf("%s is %s, and its gateway took it", m.id, status), append([]int{m.final}, m.taken...)...)
	}
}

// reportedFailed reports whether the gateway reported a failure of a message that it had accepted.
func (c *checker) reportedFailed(m *message) bool {
	return slices.ContainsFunc(m.receipts, func(i int) bool { return c.h[i].Status == "FAILED" })
}

// checkCopies finds messages that a person received twice. All messages of a history have one route.
func (c *checker) checkCopies(m *message) {
	first := map[string]int{} // call by reference
	for _, i := range m.taken {
		before, again := first[c.h[i].Reference]
		switch {
		case !again:
			for _, other := range first {
				c.report(RuleDoubled, m.id+" was handed over under two references", other, i)
			}
			first[c.h[i].Reference] = i
		case c.class(c.h[i].Gateway) != Deduplicates && c.class(c.h[i].Gateway) != Phone:
			c.report(RuleDoubled, fmt.Sprintf("%s was handed over twice to a gateway of the class %q", m.id, c.class(c.h[i].Gateway)), before, i)
		}
	}
}

// checkKeys finds idempotency keys with which two messages were accepted.
func (c *checker) checkKeys() {
	first := map[accountKey]int{}
	for _, i := range c.all(Send) {
		e := &c.h[i]
		if e.Result != Accepted {
			continue
		}
		k := accountKey{e.Account, e.Key}
		if before, again := first[k]; again && c.h[before].Message != e.Message {
			c.report(RuleDoubled, fmt.Sprintf("the key %q gave two messages", e.Key), before, i)
		} else if !again {
			first[k] = i
		}
	}
}

// checkReceipts finds messages whose status is behind a receipt that Griot has acknowledged. A receipt without a
// reference names its message by the gateway's id, which Griot doesn't know if the outcome of the call is unknown.
func (c *checker) checkReceipts() {
	for _, m := range c.sorted() {
		status := c.status(m)
		if status == "" {
			continue
		}
		for _, i := range m.receipts {
			if c.h[i].Reference == "" && c.h[m.final].Code == outcomeUnknown {
				continue
			}
			if says := c.h[i].Status; ranks[says] > ranks[status] {
				c.report(RuleBackwards, fmt.Sprintf("%s is %s, and a receipt of %s was acknowledged", m.id, status, says), i, m.final)
			}
		}
	}
}
