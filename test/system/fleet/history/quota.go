package history

import (
	"fmt"
	"strings"
)

// checkQuota compares the usage of accounts with their charged messages: all accepted ones, except those that ended
// without being submitted. A request without a response might have been accepted.
func (c *checker) checkQuota() {
	charged, open := map[string]int{}, map[string]int{}
	refused := map[string]int{} // an index, by account
	answered := map[string]bool{}
	for _, m := range c.sorted() {
		if m.send < 0 {
			continue
		}
		s := &c.h[m.send]
		answered[s.Account+" "+s.Key] = true
		status := c.status(m)
		if handedOver(status) || ranks[status] == 0 || c.h[m.final].Code == outcomeUnknown || len(m.taken) > 0 {
			charged[s.Account]++
		}
	}
	for _, i := range c.all(Send) {
		switch e := &c.h[i]; {
		case e.Result == Refused:
			answered[e.Account+" "+e.Key] = true
			if strings.HasPrefix(e.Code, "quota") {
				refused[e.Account] = i
			}
		case e.Result == Unknown && !answered[e.Account+" "+e.Key]:
			answered[e.Account+" "+e.Key] = true
			open[e.Account]++
		}
	}
	for _, i := range c.all(Usage) {
		u := &c.h[i]
		if n := charged[u.Account]; u.Used < n || u.Used > n+open[u.Account] {
			c.report(RuleQuota, fmt.Sprintf("%s has used %d, and %d of its messages count", u.Account, u.Used, n), i)
		}
		a, ok := c.accounts[u.Account]
		if !ok || c.h[a].Limit == 0 {
			continue
		}
		limit := c.h[a].Limit
		if u.Used > limit {
			c.report(RuleQuota, fmt.Sprintf("%s has used %d of %d", u.Account, u.Used, limit), i)
		}
		if r, ok := refused[u.Account]; ok && c.accepted(u.Account)+open[u.Account] < limit {
			c.report(RuleQuota, fmt.Sprintf("%s was refused before %d messages were accepted", u.Account, limit), r, i)
		}
	}
}

// accepted returns the number of accepted messages of an account.
func (c *checker) accepted(account string) (n int) {
	for _, m := range c.messages {
		if m.send >= 0 && c.h[m.send].Account == account {
			n++
		}
	}
	return n
}
