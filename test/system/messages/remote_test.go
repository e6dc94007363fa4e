package messages_test

import (
	"net"
	"strings"
	"testing"
)

// dial opens a connection that a test can cut.
func dial(t *testing.T, url string) net.Conn {
	t.Helper()
	var d net.Dialer
	c, err := d.DialContext(t.Context(), "tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	return c
}
