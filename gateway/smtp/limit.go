package smtp

import (
	"errors"
	"net"
)

// maxReply is the maximum number of bytes on the network for one command's reply, including TLS.
const maxReply = 64 << 10

var errTooLong = errors.New("the relay's reply is too long")

// limitedConn is a connection on which maxReply bytes can be read for each command. Only one goroutine uses it at a
// time. A command is not the same as a Write, because reading might also write within TLS.
type limitedConn struct {
	net.Conn
	read     int64 // since the last command
	exceeded bool  // reading has permanently failed
}

// Read implements [net.Conn].
func (b *limitedConn) Read(p []byte) (int, error) {
	b.exceeded = b.exceeded || b.read >= maxReply
	if b.exceeded {
		return 0, errTooLong
	}
	n, err := b.Conn.Read(p[:min(int64(len(p)), maxReply-b.read)])
	b.read += int64(n)
	return n, err
}

// startCommand resets the limit before a command is written.
func (b *limitedConn) startCommand() { b.read = 0 }
