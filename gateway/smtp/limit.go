package smtp

import (
	"errors"
	"net"
)

// maxReply is the limit of bytes on the wire that one command's reply has, TLS included.
const maxReply = 64 << 10

var errTooLong = errors.New("the relay's reply is too long")

// limitedConn is a connection on which maxReply bytes can be read for each command. One goroutine uses it at a time.
// A command isn't a Write: within TLS, reading may write too.
type limitedConn struct {
	net.Conn
	read     int64 // since the last command
	exceeded bool  // reading has failed for good
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
