package dbtest

import (
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Pooler returns another address of a PostgreSQL database. Its connections go through a proxy that gives clients its
// own process ids, as a connection pooler does.
func Pooler(t testing.TB, address string) string {
	t.Helper()
	config, err := pgx.ParseConfig(address)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	network, target := pgconn.NetworkAddress(config.Host, config.Port)
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go pool(client, network, target)
		}
	}()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	u.Host = listener.Addr().String()
	q := u.Query()
	q.Del("host")
	q.Del("port")
	q.Set("sslmode", "disable")
	u.RawQuery = q.Encode()
	return u.String()
}

// pool connects a client to the server until one of them ends.
func pool(client net.Conn, network, target string) {
	defer client.Close()
	server, err := net.Dial(network, target)
	if err != nil {
		return
	}
	defer server.Close()
	go func() {
		_, _ = io.Copy(server, client)
		_ = server.Close()
	}()
	if changeProcessID(client, server) == nil {
		_, _ = io.Copy(client, server)
	}
}

// changeProcessID forwards the server's messages up to BackendKeyData and replaces its process id.
func changeProcessID(client io.Writer, server io.Reader) error {
	for {
		head := make([]byte, 5)
		if _, err := io.ReadFull(server, head); err != nil {
			return err
		}
		body := make([]byte, binary.BigEndian.Uint32(head[1:])-4)
		if _, err := io.ReadFull(server, body); err != nil {
			return err
		}
		key := head[0] == 'K'
		if key {
			binary.BigEndian.PutUint32(body, binary.BigEndian.Uint32(body)^1<<30)
		}
		if _, err := client.Write(append(head, body...)); err != nil || key {
			return err
		}
	}
}
