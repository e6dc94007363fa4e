package history

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Rule is a guarantee that a history can violate.
type Rule string

// The rules.
const (
	RuleLost       Rule = "lost"       // an accepted message was never submitted, and its status doesn't show that; or a person's message isn't in the inbox
	RuleUntrue     Rule = "untrue"     // a message's status shows that it was not submitted, but it was
	RuleDoubled    Rule = "doubled"    // a message was submitted twice, or a person's message is in the inbox twice
	RuleInvented   Rule = "invented"   // the inbox has a message that no one has written
	RuleOrder      Rule = "order"      // a message overtook one that had been acknowledged before it was sent, or that was before it in its batch
	RuleCanceled   Rule = "canceled"   // a message was submitted although its cancellation was acknowledged
	RuleStopped    Rule = "stopped"    // a message was submitted although it still waited when its recipient's opt-out had been acknowledged
	RuleSuspended  Rule = "suspended"  // a message was submitted before the end of its account's suspension, although it still waited when the suspension had been acknowledged
	RuleOwner      Rule = "owner"      // two nodes delivered for one sender at the same time (M182)
	RulePace       Rule = "pace"       // a gateway was called faster than its rate
	RuleQuota      Rule = "quota"      // an account's usage differs from its charges
	RuleBackwards  Rule = "backwards"  // a message's status is behind a receipt that Griot has acknowledged
	RuleEvent      Rule = "event"      // an event of a webhook is missing, or arrived with two ids or two bodies
	RuleCode       Rule = "code"       // a code was redeemed twice
	RuleLogin      Rule = "login"      // a login went back to PENDING
	RuleRevocation Rule = "revocation" // a revoked token was accepted
	RuleDrain      Rule = "drain"      // the run ended before everything was delivered
)

// Finding is one violation of a rule. Lines are the lines of its events in the history, counted from 1.
type Finding struct {
	Rule  Rule
	Text  string
	Lines []int
}

// String returns the finding as one line of text.
func (f Finding) String() string {
	lines := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(f.Lines)), ","), "[]")
	return fmt.Sprintf("%s: %s (lines %s)", f.Rule, f.Text, lines)
}

// Check returns the violations of the rules, ordered by rule and then by line.
func Check(h History) []Finding {
	c := newChecker(h)
	c.checkHandOver()
	c.checkOrder()
	c.checkHalts()
	c.checkInbox()
	c.checkOwners()
	c.checkPace()
	c.checkQuota()
	c.checkReceipts()
	c.checkWebhooks()
	c.checkCodes()
	c.checkLogins()
	c.checkRevocations()
	for i, e := range h {
		if e.Kind == Undrained {
			c.report(RuleDrain, e.Status, i)
		}
	}
	slices.SortStableFunc(c.findings, func(a, b Finding) int {
		if n := strings.Compare(string(a.Rule), string(b.Rule)); n != 0 {
			return n
		}
		return slices.Compare(a.Lines, b.Lines)
	})
	return c.findings
}

// checker holds the events of a history by their subjects. Numbers are indexes of events.
type checker struct {
	h        History
	gateways map[string]int // by name
	accounts map[string]int // by id
	messages map[string]*message
	asked    map[accountKey]int64 // the start of the first request with a key
	stops    map[recipient][]int  // that were not refused
	findings []Finding
}

// recipient is a person to whom an account sends.
type recipient struct{ account, to string }

// accountKey is an account with one of its idempotency keys.
type accountKey struct{ account, key string }

// message holds the events of one message in a history.
type message struct {
	id       string
	send     int   // the first accepted request; -1: no client got a response
	final    int   // -1: its state was not read
	waits    []int // times at which it was waiting
	calls    []int // calls of gateways, ordered by start
	taken    []int // calls that the gateway accepted
	receipts []int // receipts that Griot acknowledged
	canceled bool  // a client requested it
}

func newChecker(h History) *checker {
	c := &checker{h: h, gateways: map[string]int{}, accounts: map[string]int{}, messages: map[string]*message{}, asked: map[accountKey]int64{}, stops: map[recipient][]int{}}
	for i := range h {
		c.add(i, &h[i])
	}
	for _, m := range c.messages {
		slices.SortStableFunc(m.calls, c.byBegin)
		slices.SortStableFunc(m.taken, c.byBegin)
	}
	return c
}

func (c *checker) add(i int, e *Event) {
	switch e.Kind {
	case Gateway:
		c.gateways[e.Gateway] = i
	case Account:
		c.accounts[e.Account] = i
	case Send:
		k := accountKey{e.Account, e.Key}
		if first, again := c.asked[k]; e.Result != Refused && (!again || e.Begin < first) {
			c.asked[k] = e.Begin
		}
		if e.Result == Accepted {
			if m := c.message(e.Message); m.send < 0 || e.End < c.h[m.send].End {
				m.send = i
			}
		}
	case Cancel:
		c.message(e.Message).canceled = true
	case Waits:
		m := c.message(e.Message)
		m.waits = append(m.waits, i)
	case Call:
		m := c.message(e.Message)
		m.calls = append(m.calls, i)
		if e.Result != Refused {
			m.taken = append(m.taken, i)
		}
	case Receipt:
		if e.Result == Accepted {
			m := c.message(e.Message)
			m.receipts = append(m.receipts, i)
		}
	case Final:
		c.message(e.Message).final = i
	case Stop:
		if p := (recipient{e.Account, e.To}); e.Result != Refused {
			c.stops[p] = append(c.stops[p], i)
		}
	case Suspend, Resume, Usage, Webhook, Written, Stored, Received, Poll, Redeem, Revoke, Use, Fault, Stall, Undrained: // read by their rules
	}
}

// message returns the data of a message, and creates it if needed.
func (c *checker) message(id string) *message {
	m := c.messages[id]
	if m == nil {
		m = &message{id: id, send: -1, final: -1}
		c.messages[id] = m
	}
	return m
}

// sorted returns the messages by id.
func (c *checker) sorted() (out []*message) {
	for _, id := range slices.Sorted(maps.Keys(c.messages)) {
		out = append(out, c.messages[id])
	}
	return out
}

// report adds a finding about events.
func (c *checker) report(r Rule, text string, events ...int) {
	lines := make([]int, 0, len(events))
	for _, i := range events {
		lines = append(lines, i+1)
	}
	slices.Sort(lines)
	c.findings = append(c.findings, Finding{r, text, lines})
}

// all returns the indexes of the events of a kind, ordered by start.
func (c *checker) all(k Kind) (out []int) {
	for i := range c.h {
		if c.h[i].Kind == k {
			out = append(out, i)
		}
	}
	slices.SortStableFunc(out, c.byBegin)
	return out
}

// byBegin compares the start times of two events.
func (c *checker) byBegin(a, b int) int { return cmp.Compare(c.h[a].Begin, c.h[b].Begin) }

// status returns a message's final status; "" if it was not read.
func (c *checker) status(m *message) string {
	if m.final < 0 {
		return ""
	}
	return c.h[m.final].Status
}

// class returns the class of the gateway of a message. A gateway that was not declared has neither feature.
func (c *checker) class(gateway string) Class {
	if i, ok := c.gateways[gateway]; ok {
		return c.h[i].Class
	}
	return Neither
}
