package sdnotify

import "net"

// The reported states.
const (
	Ready    = "READY=1"
	Stopping = "STOPPING=1"
)

// Variable is the environment variable with the path of systemd's socket.
const Variable = "NOTIFY_SOCKET"

// Send sends a state to a socket: a path, or an abstract name that starts with @. Without a socket it does nothing.
func Send(socket, state string) error {
	if socket == "" {
		return nil
	}
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		return err
	}
	if _, err := conn.Write([]byte(state)); err != nil {
		_ = conn.Close()
		return err
	}
	return conn.Close()
}
