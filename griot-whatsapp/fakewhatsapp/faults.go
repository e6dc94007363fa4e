package fakewhatsapp

import (
	"strconv"
	"time"

	waBinary "go.mau.fi/whatsmeow/binary"
)

// Faults are what goes wrong from now on.
type Faults struct {
	AckError       int  // acks of messages carry this error, and the message is delivered to nobody
	DropAcks       bool // messages are delivered and not acknowledged
	DropOnMessage  bool // the connection ends when a message comes, after it was delivered
	LookupError    int  // questions who has a phone number are refused with this error
	HideNumbers    bool // answers to them have no phone number
	HideIDs        bool // answers to them have no id that WhatsApp uses inside
	ConnectFailure *Failure
}

// Failure is what a login is refused with.
type Failure struct {
	Reason int           // 401, 402 (a temporary ban), 405 (outdated), 406 (banned)
	Expire time.Duration // of a temporary ban
	Phone  string        // whose; empty: everybody's
}

// Set sets the faults.
func (s *Server) Set(f Faults) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = f
}

func (c *conn) fail(f *Failure) error {
	attrs := waBinary.Attrs{"reason": strconv.Itoa(f.Reason), "location": "fake"}
	if f.Expire > 0 {
		attrs["code"], attrs["expire"] = "101", strconv.Itoa(int(f.Expire/time.Second))
	}
	c.end(&waBinary.Node{Tag: "failure", Attrs: attrs})
	for { // until the client has closed the connection, or end has
		if _, err := c.frame(); err != nil {
			return err
		}
	}
}

// Removed is the stream error of a device that was unlinked on the phone.
func Removed() *waBinary.Node {
	return &waBinary.Node{
		Tag: "stream:error", Attrs: waBinary.Attrs{"code": "401"},
		Content: []waBinary.Node{{Tag: "conflict", Attrs: waBinary.Attrs{"type": "device_removed"}}},
	}
}

// Replaced is the stream error of a connection whose device has opened another one.
func Replaced() *waBinary.Node {
	return &waBinary.Node{Tag: "stream:error", Content: []waBinary.Node{{Tag: "conflict", Attrs: waBinary.Attrs{"type": "replaced"}}}}
}

// Kick ends the connections of a phone number's devices: with a stream error, or by dropping the TCP connection where n is nil.
func (s *Server) Kick(phone string, n *waBinary.Node) {
	s.mu.Lock()
	u := s.users[phone]
	var conns []*conn
	for id, d := range u.devices {
		if d.conn != nil {
			conns = append(conns, d.conn)
		}
		if n != nil && n.Attrs["code"] == "401" {
			delete(u.devices, id)
		}
	}
	s.mu.Unlock()
	for _, c := range conns {
		c.end(n)
	}
}

// end sends a last stanza and closes the connection; the client may close it first. WhatsApp leaves it open for a moment
// too, and a client that is cut off in the same instant reconnects while it still deletes its device.
func (c *conn) end(n *waBinary.Node) {
	if n != nil && c.send(*n) == nil {
		time.AfterFunc(200*time.Millisecond, func() { _ = c.ws.CloseNow() })
		return
	}
	_ = c.ws.CloseNow()
}
