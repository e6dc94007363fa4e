package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"example.com/griot/test/system/fleet/history"
)

const (
	giveUp       = 90 * time.Second // time after which a client stops repeating a request
	requestTime  = 3 * time.Second
	recipients   = 6 // of each client and account
	scheduleTime = 3 * time.Second

	// The account of the paced gateway sends for burstOn of each burstEvery, at four times its gateway's rate: a fifth
	// of all messages, for a gateway that accepts a twentieth. So many of its messages must wait.
	burstEvery  = 25 * time.Second
	burstOn     = 6 * time.Second
	pacedWeight = 20
	pacedShare  = 20

	avoidTime = 2 * time.Second // time for which clients avoid a node that didn't respond, like a load balancer
)

// account is an account with its own sender on one gateway.
type account struct {
	name, gateway, plan string
	weight              int // its share of the messages
	limit               int // messages per day
	webhooks            bool
	bursts              bool

	number          int // index in the list of accounts
	id, key, sender string
}

// accounts returns the accounts of a run. limit is the daily limit of the only limited account.
func accounts(limit int) []*account {
	all := []*account{
		{name: "dedup", gateway: "dedup", plan: "unlimited", weight: 40, webhooks: true},
		{name: "asked", gateway: "asked", plan: "unlimited", weight: 20},
		{name: "plain", gateway: "plain", plan: "unlimited", weight: 15, webhooks: true},
		{name: "paced", gateway: "paced", plan: "unlimited", weight: pacedWeight, bursts: true},
		{name: "limited", gateway: "dedup", plan: "free", weight: 5, limit: limit},
	}
	for n, a := range all {
		a.number = n
	}
	return all
}

// client sends messages one after another.
type client struct {
	r      *run
	number int
	rng    *rand.Rand
}

// work sends with pauses until ctx ends.
func (c *client) work(ctx context.Context, pause time.Duration) {
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause/2 + time.Duration(c.rng.Int64N(int64(pause)+1))):
		}
		a := c.pick()
		if a.bursts && time.Since(c.r.rec.began)%burstEvery > burstOn {
			continue
		}
		c.message(a, n)
	}
}

// pick chooses an account by weight.
func (c *client) pick() *account {
	n := c.rng.IntN(100)
	for _, a := range c.r.accounts {
		if n -= a.weight; n < 0 {
			return a
		}
	}
	return c.r.accounts[0]
}

// message sends one message, and repeats it with the same key until there is a response.
func (c *client) message(a *account, n int) {
	key := fmt.Sprintf("%d-%d", c.number, n)
	to := fmt.Sprintf("22376%02d%d%03d", c.number, a.number, c.rng.IntN(recipients))
	body := map[string]any{"channel": "sms", "message": "message " + key, "idempotencyKey": key}
	cancels := false
	switch c.rng.IntN(20) {
	case 0, 1: // several clients to one recipient
		to = fmt.Sprintf("2237699%d000", a.number)
	case 2: // a separate recipient for each, because it is sent at its scheduled time
		to = fmt.Sprintf("22378%06d", (c.number*7919+n)%1_000_000)
		body["scheduledAt"] = time.Now().Add(time.Duration(c.rng.Int64N(int64(scheduleTime)))).UTC().Format(time.RFC3339Nano)
		cancels = c.rng.IntN(2) == 0
	}
	if c.rng.IntN(2) == 0 {
		body["retry"] = true
	}
	body["to"] = to
	event := history.Event{Kind: history.Send, Account: a.name, Gateway: a.gateway, Sender: a.sender, To: to, Key: key}
	id := c.send(a, body, event)
	if id != "" && cancels {
		c.cancel(a, id)
	}
}

// send repeats a request until it is accepted or refused, and returns the message's id.
func (c *client) send(a *account, body map[string]any, e history.Event) (id string) {
	for end := time.Now().Add(giveUp); time.Now().Before(end); time.Sleep(time.Duration(50+c.rng.IntN(200)) * time.Millisecond) {
		e.Begin, e.End = c.r.rec.now(), 0
		d := c.anyNode()
		r, err := request(http.MethodPost, d.api+"/api/send", body, requestTime, "Authorization", "Bearer "+a.key)
		if err != nil {
			d.avoidUntil.Store(c.r.rec.now() + avoidTime.Microseconds())
		}
		switch {
		case err == nil && r.text("messageId") != "":
			e.Result, e.Message = history.Accepted, r.text("messageId")
		case err == nil && r.status >= 400 && r.status < 500:
			e.Result, e.Code = history.Refused, r.text("code")
		default:
			e.Result = history.Unknown
		}
		c.r.rec.add(e)
		if e.Result != history.Unknown {
			return e.Message
		}
	}
	return ""
}

func (c *client) cancel(a *account, id string) {
	e := history.Event{Kind: history.Cancel, Begin: c.r.rec.now(), Message: id, Result: history.Unknown}
	r, err := request(http.MethodPost, c.anyNode().api+"/api/messages/"+id+"/cancel", map[string]any{}, requestTime, "Authorization", "Bearer "+a.key)
	switch {
	case err != nil || r.status >= 500:
	case r.status < 300:
		e.Result = history.Accepted
	default:
		e.Result = history.Refused
	}
	c.r.rec.add(e)
}

// anyNode chooses a node, preferably one that has responded recently.
func (c *client) anyNode() *node {
	d := c.r.nodes[c.rng.IntN(len(c.r.nodes))]
	for n := 0; n < 2*len(c.r.nodes) && d.avoidUntil.Load() > c.r.rec.now(); n++ {
		d = c.r.nodes[c.rng.IntN(len(c.r.nodes))]
	}
	return d
}
