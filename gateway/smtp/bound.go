package smtp

import (
	"errors"
	"net"
)

// mostReply bounds what a command may bring, in bytes on the wire: TLS's are among them.
const mostReply = 64 << 10

var errTooLong = errors.New("the relay's reply is too long")

// bounded is a connection on which mostReply bytes can be read for each command. One goroutine uses it at a time. Writes
// don't count as commands: within TLS, the peer can ask for some.
type bounded struct {
	net.Conn
	read int64 // since the last command
	over bool  // nothing is read any more
}

// Read implements [net.Conn].
func (b *bounded) Read(p []byte) (int, error) {
	b.over = b.over || b.read >= mostReply
	if b.over {
		return 0, errTooLong
	}
	n, err := b.Conn.Read(p[:min(int64(len(p)), mostReply-b.read)])
	b.read += int64(n)
	return n, err
}

// command says that a command is about to be given.
func (b *bounded) command() { b.read = 0 }
