package fakewhatsapp

import (
	"context"
	"crypto/cipher"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/coder/websocket"
	waBinary "go.mau.fi/whatsmeow/binary"
	"go.mau.fi/whatsmeow/proto/waWa6"
	"go.mau.fi/whatsmeow/types"
)

// conn is one connection of a client.
type conn struct {
	s           *Server
	ws          *websocket.Conn
	ctx         context.Context
	buffer      []byte
	read, write cipher.AEAD
	reads       uint32
	mu          sync.Mutex // for writes
	writes      uint32
	device      *device
	passkey     *passkeyPairing // nil: none; guarded by the server's mu
	linking     *device         // a device that the client has not confirmed yet
	user        *user
	noise       [32]byte
}

// device is a linked device. Stanzas stay in its queue until the client has acknowledged them.
type device struct {
	number, lid            types.JID
	noise                  [32]byte
	registration, identity []byte
	signed                 *waBinary.Node
	prekeys                []waBinary.Node
	conn                   *conn
	queue                  []waBinary.Node
	order                  sync.Mutex // held while a stanza is queued and sent, so that clients get stanzas in the queue's order; locked before the server's mu
}

func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
	if err != nil {
		return
	}
	ws.SetReadLimit(1 << 24)
	c := &conn{s: s, ws: ws, ctx: context.WithoutCancel(r.Context())}
	s.mu.Lock()
	s.conns[c] = true
	s.joined = append(s.joined, time.Now())
	s.mu.Unlock()
	defer c.close()
	payload, err := c.handshake()
	if err != nil || c.login(payload) != nil {
		return
	}
	for {
		n, err := c.next()
		if err != nil || !c.handle(n) {
			return
		}
	}
}

func (c *conn) close() {
	c.s.mu.Lock()
	delete(c.s.conns, c)
	if c.linking != nil { // the client has not confirmed the device
		c.user.remove(c.linking.number.Device)
	}
	if c.device != nil && c.device.conn == c {
		c.device.conn = nil
	}
	c.s.mu.Unlock()
	_ = c.ws.CloseNow()
}

// header reads the first four bytes of a connection.
func (c *conn) header() ([]byte, error) {
	for len(c.buffer) < 4 {
		if err := c.fill(); err != nil {
			return nil, err
		}
	}
	header := c.buffer[:4:4]
	c.buffer = c.buffer[4:]
	if string(header[:2]) != "WA" {
		return nil, errors.New("the connection begins with another header")
	}
	return header, nil
}

func (c *conn) fill() error {
	_, b, err := c.ws.Read(c.ctx)
	c.buffer = append(c.buffer, b...)
	return err
}

func (c *conn) frame() ([]byte, error) {
	for {
		if len(c.buffer) >= 3 {
			n := int(c.buffer[0])<<16 | int(c.buffer[1])<<8 | int(c.buffer[2])
			if len(c.buffer) >= 3+n {
				frame := c.buffer[3 : 3+n]
				c.buffer = c.buffer[3+n:]
				return frame, nil
			}
		}
		if err := c.fill(); err != nil {
			return nil, err
		}
	}
}

func (c *conn) put(b []byte) error {
	return c.ws.Write(c.ctx, websocket.MessageBinary, append([]byte{byte(len(b) >> 16), byte(len(b) >> 8), byte(len(b))}, b...))
}

func (c *conn) send(n waBinary.Node) error {
	b, err := waBinary.Marshal(n)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	sealed := c.write.Seal(nil, nonce(c.writes), b, nil)
	c.writes++
	return c.put(sealed)
}

func (c *conn) next() (*waBinary.Node, error) {
	frame, err := c.frame()
	if err != nil {
		return nil, err
	}
	plain, err := c.read.Open(nil, nonce(c.reads), frame, nil)
	c.reads++
	if err != nil {
		return nil, err
	}
	if plain, err = waBinary.Unpack(plain); err != nil {
		return nil, err
	}
	return waBinary.Unmarshal(plain)
}

// login offers a QR code to an unpaired client, and sends the queued stanzas to a paired one.
func (c *conn) login(payload *waWa6.ClientPayload) error {
	if payload.DevicePairingData != nil {
		return c.offerCodes()
	}
	s := c.s
	s.mu.Lock()
	u := s.users[strconv.FormatUint(payload.GetUsername(), 10)]
	var d *device
	if u != nil {
		d = u.devices[uint16(payload.GetDevice())]
	}
	failure := s.faults.ConnectFailure
	if failure != nil && failure.Phone != "" && (u == nil || failure.Phone != u.phone) {
		failure = nil
	}
	s.mu.Unlock()
	if failure == nil && (d == nil || d.noise != c.noise) {
		failure = &Failure{Reason: http.StatusUnauthorized}
	}
	if failure != nil {
		return c.fail(failure)
	}
	d.order.Lock()
	defer d.order.Unlock()
	s.mu.Lock()
	if old := d.conn; old != nil {
		go old.end(Replaced())
	}
	c.device, c.user = d, u
	d.conn = c
	waiting := append([]waBinary.Node(nil), d.queue...)
	s.mu.Unlock()
	if err := c.send(waBinary.Node{Tag: "success", Attrs: waBinary.Attrs{"t": unixNow(), "lid": d.lid}}); err != nil {
		return err
	}
	for _, n := range waiting {
		again := waBinary.Node{Tag: n.Tag, Attrs: waBinary.Attrs{"offline": "0"}, Content: n.Content}
		for name, value := range n.Attrs {
			again.Attrs[name] = value
		}
		if err := c.send(again); err != nil {
			return err
		}
	}
	return c.send(waBinary.Node{
		Tag: "ib", Attrs: waBinary.Attrs{"from": types.ServerJID},
		Content: []waBinary.Node{{Tag: "offline", Attrs: waBinary.Attrs{"count": len(waiting)}}},
	})
}

// deliver adds a stanza to the device's queue, and sends it if the device is connected.
func (s *Server) deliver(d *device, n waBinary.Node) {
	d.order.Lock()
	defer d.order.Unlock()
	s.mu.Lock()
	u, linked := s.find(d.number)
	if linked != d { // it was unlinked in the meantime
		s.mu.Unlock()
		return
	}
	d.queue = append(d.queue, n)
	u.note(n, Queued)
	c := d.conn
	s.mu.Unlock()
	if c != nil {
		_ = c.send(n) // a lost stanza is still in the queue
	}
}

// acknowledged removes a stanza from the device's queue, and notes its fate.
func (c *conn) acknowledged(tag string, id any, f Fate) {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	for i, n := range c.device.queue {
		if n.Tag == tag && n.Attrs["id"] == id {
			c.device.queue = append(c.device.queue[:i:i], c.device.queue[i+1:]...)
			c.user.note(n, f)
			return
		}
	}
}

// Waiting returns the number of unacknowledged stanzas for the devices of a phone number.
func (s *Server) Waiting(phone string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, d := range s.users[phone].devices {
		n += len(d.queue)
	}
	return n
}

// Fate is what has become of a stanza for the devices of a phone number.
type Fate int

// The fates of a stanza.
const (
	Unseen       Fate = iota // there was none, or no device for it
	Gone                     // all of its devices were unlinked before they acknowledged it
	Queued                   // it waits for an acknowledgment, and comes again with the next connection
	Acknowledged             // by one device
)

// noted is the fate of a stanza, and the time at which it was first queued.
type noted struct {
	fate Fate
	at   time.Time
}

// Fate returns what has become of a stanza. The tag is message or receipt; for a receipt, the ID is that of its message.
func (s *Server) Fate(phone, tag, id string) Fate {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.users[phone].fates[tag+"/"+id].fate
}

// QueuedAt returns the time at which a stanza was queued for the devices of a phone number, or the zero time.
func (s *Server) QueuedAt(phone, tag, id string) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.users[phone].fates[tag+"/"+id].at
}

// note records the fate of a stanza, unless it was acknowledged. The caller holds the server's mu.
func (u *user) note(n waBinary.Node, f Fate) {
	id, _ := n.Attrs["id"].(string)
	key := n.Tag + "/" + id
	known := u.fates[key]
	if known.at.IsZero() {
		known.at = time.Now()
	}
	if known.fate != Acknowledged {
		known.fate = f
	}
	u.fates[key] = known
}

// remove unlinks a device. The caller holds the server's mu.
func (u *user) remove(id uint16) {
	d := u.devices[id]
	if d == nil {
		return
	}
	delete(u.devices, id)
	for _, n := range d.queue {
		u.note(n, Gone)
	}
	d.queue = nil
}
