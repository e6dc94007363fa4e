package fakewhatsapp

import (
	"strconv"
	"time"

	waBinary "go.mau.fi/whatsmeow/binary"
)

// Faults are the errors that the server simulates.
type Faults struct {
	AckError       int           // acks of messages carry this error, and the message is not delivered
	DropAcks       bool          // messages are delivered and not acknowledged
	DropOnMessage  bool          // the connection ends when a message arrives, after the message was delivered
	Refuse         map[Query]int // queries that are refused, by their error, [NoResponse], or [Drop]
	From           string        // the phone number whose messages and queries have these faults; empty: all
	HideNumbers    bool          // responses to lookups contain no phone number
	HideIDs        bool          // responses to lookups contain no internal ID
	NeedTokens     string        // messages from this phone number to a person need the person's token, or one of the account's salt
	LoseTokens     bool          // a token that somebody issues does not reach the other person
	GiveTokens     bool          // the response to somebody who issues a token has the other person's token
	Timelock       *Timelock     // the response to the query about the restriction of an account; nil: the query is refused
	Lookup         Lookup        // how responses to lookups are incomplete
	ConnectFailure *Failure
}

// What happens to a query instead of an error.
const (
	NoResponse = -1 // it gets no response
	Drop       = -2 // the connection ends
)

// Timelock is the restriction of an account to people who have written to it.
type Timelock struct {
	Active bool
	Until  time.Time // zero: the response has no end
	Text   bool      // the response has the end as text, as WhatsApp Web reads it
}

// Lookup is a form of the response to a lookup.
type Lookup int

// The forms of responses to lookups. The zero value is the usual one.
const (
	_            Lookup = iota
	LeftOut             // the number isn't in the response
	Unsaid              // the number is there, without whether somebody has it
	RefusedOne          // the number is there with error 429
	Unidentified        // the number is there without any address, even if nobody has it
)

// Query is a kind of query.
type Query string

// The kinds of queries that clients send before they can submit a message.
const (
	Lookups Query = "lookups" // of phone numbers
	Users   Query = "users"   // of a user's internal ID
	Devices Query = "devices" // of a user's devices
	PreKeys Query = "prekeys" // of a device's keys, for a first message
	Groups  Query = "groups"  // of a group's members
)

// Failure is the reason for refusing a login.
type Failure struct {
	Reason int           // 401, 402 (a temporary ban), 405 (outdated), 406 (banned)
	Expire time.Duration // for a temporary ban
	Phone  string        // the phone number to refuse; empty: all
}

// Set sets the faults.
func (s *Server) Set(f Faults) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = f
}

// ours returns the faults of messages and queries on this connection. The caller holds the server's mu.
func (c *conn) ours() Faults {
	if f := c.s.faults; f.From == "" || c.user != nil && c.user.phone == f.From {
		return f
	}
	return Faults{}
}

func (c *conn) fail(f *Failure) error {
	attrs := waBinary.Attrs{"reason": strconv.Itoa(f.Reason), "location": "fake"}
	if f.Expire > 0 {
		attrs["code"], attrs["expire"] = "101", strconv.Itoa(int(f.Expire/time.Second))
	}
	c.end(&waBinary.Node{Tag: "failure", Attrs: attrs})
	for { // until the client closes the connection, or end does
		if _, err := c.frame(); err != nil {
			return err
		}
	}
}

// Removed returns the stream error for a device that was unlinked on the phone.
func Removed() *waBinary.Node {
	return &waBinary.Node{
		Tag: "stream:error", Attrs: waBinary.Attrs{"code": "401"},
		Content: []waBinary.Node{{Tag: "conflict", Attrs: waBinary.Attrs{"type": "device_removed"}}},
	}
}

// Replaced returns the stream error for a connection whose device has opened another one.
func Replaced() *waBinary.Node {
	return &waBinary.Node{Tag: "stream:error", Content: []waBinary.Node{{Tag: "conflict", Attrs: waBinary.Attrs{"type": "replaced"}}}}
}

// Kick ends the connections of a phone number's devices. It sends the stream error n, or drops the TCP connection if n is nil.
func (s *Server) Kick(phone string, n *waBinary.Node) {
	s.mu.Lock()
	u := s.users[phone]
	var conns []*conn
	for id, d := range u.devices {
		if d.conn != nil {
			conns = append(conns, d.conn)
		}
		if n != nil && n.Attrs["code"] == "401" {
			u.remove(id)
		}
	}
	s.mu.Unlock()
	if n != nil && n.Attrs["code"] == "401" {
		s.announce(u)
	}
	for _, c := range conns {
		c.end(n)
	}
}

// end sends a last stanza and closes the connection. Like WhatsApp, it leaves the connection open for a moment, in
// which the client can close it. A client that is disconnected immediately reconnects while it is still deleting its
// device.
func (c *conn) end(n *waBinary.Node) {
	if n != nil && c.send(*n) == nil {
		time.AfterFunc(200*time.Millisecond, func() { _ = c.ws.CloseNow() })
		return
	}
	_ = c.ws.CloseNow()
}
