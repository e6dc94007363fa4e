package history

import "fmt"

// checkWebhooks checks the deliveries to accounts' endpoints: an id has one body, a step of a message has one id, and
// the last step of each message has an event.
func (c *checker) checkWebhooks() {
	type step struct{ message, status string }
	byID, byStep := map[string]int{}, map[step]int{}
	for _, i := range c.all(Webhook) {
		e := &c.h[i]
		if before, again := byID[e.ID]; again {
			if b := &c.h[before]; b.Digest != e.Digest || b.Message != e.Message || b.Status != e.Status {
				c.report(RuleEvent, fmt.Sprintf("the event %s came with two bodies", e.ID), before, i)
			}
			continue
		}
		byID[e.ID] = i
		s := step{e.Message, e.Status}
		if before, again := byStep[s]; again {
			c.report(RuleEvent, fmt.Sprintf("%s was reported as %s under two ids", e.Message, e.Status), before, i)
			continue
		}
		byStep[s] = i
	}
	for _, m := range c.sorted() {
		if m.send < 0 || m.final < 0 {
			continue
		}
		a, ok := c.accounts[c.h[m.send].Account]
		status := c.status(m)
		if !ok || !c.h[a].Webhooks || ranks[status] == 0 || status == "CANCELED" { // there is no event of a cancellation
			continue
		}
		if _, came := byStep[step{m.id, status}]; !came {
			c.report(RuleEvent, fmt.Sprintf("%s is %s, and no event said so", m.id, status), m.final)
		}
	}
}
