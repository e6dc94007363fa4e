package history

import (
	"fmt"
	"maps"
	"slices"
)

// Two nodes deliver for one sender at the same time if their calls alternate: at least ownerTurns turns, over
// ownerTime, none of them ownerGap after the previous turn of the same node. A sender that moves has one turn, or a few
// calls that the previous node had started.
const (
	ownerTurns = 6
	ownerTime  = 2 * second
	ownerGap   = 5 * second
)

// turn is a series of a sender's calls from one node, without another node's calls in between.
type turn struct {
	node        string
	first, last int // events
}

// checkOwners finds senders for which two nodes delivered at the same time.
func (c *checker) checkOwners() {
	turns := map[string][]turn{}
	for _, i := range c.all(Call) {
		m := c.messages[c.h[i].Message]
		if c.h[i].Node == "" || m.send < 0 {
			continue
		}
		sender := c.h[m.send].Sender
		list := turns[sender]
		if n := len(list); n > 0 && list[n-1].node == c.h[i].Node {
			list[n-1].last = i
			continue
		}
		turns[sender] = append(list, turn{c.h[i].Node, i, i})
	}
	for _, sender := range slices.Sorted(maps.Keys(turns)) {
		c.checkTurns(sender, turns[sender])
	}
}

// checkTurns reports the first time at which nodes alternated.
func (c *checker) checkTurns(sender string, turns []turn) {
	before := map[string]int64{} // the end of each node's last turn
	since := 0                   // the turn at which they started to alternate
	for n, t := range turns {
		begin := c.h[t.first].Begin
		if end, ok := before[t.node]; n > since+1 && (!ok || begin-end > ownerGap) {
			since = n - 1
		}
		before[t.node] = c.h[t.last].Begin
		if first := turns[since].last; n-since+1 >= ownerTurns && begin-c.h[first].Begin >= ownerTime {
			c.report(RuleOwner, fmt.Sprintf("nodes %s and %s delivered for %s at the same time", turns[n-1].node, t.node, sender), first, turns[n-1].last, t.first)
			return
		}
	}
}
