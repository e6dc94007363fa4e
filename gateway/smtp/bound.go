package smtp

import (
	"errors"
	"net"
	"sync/atomic"
)

// mostReply bounds a reply of the relay, in bytes on the wire: TLS's are among them.
const mostReply = 64 << 10

var errTooLong = errors.New("the relay's reply is too long")

// bounded is a connection on which no more than mostReply bytes can be read between two writes.
type bounded struct {
	net.Conn
	read atomic.Int64 // since the last write
	over atomic.Bool  // nothing is read any more
}

// Read implements [net.Conn].
func (b *bounded) Read(p []byte) (int, error) {
	left := mostReply - b.read.Load()
	if left <= 0 {
		b.over.Store(true)
	}
	if b.over.Load() {
		return 0, errTooLong
	}
	n, err := b.Conn.Read(p[:min(int64(len(p)), left)])
	b.read.Add(int64(n))
	return n, err
}

// Write implements [net.Conn].
func (b *bounded) Write(p []byte) (int, error) {
	b.read.Store(0)
	return b.Conn.Write(p)
}
