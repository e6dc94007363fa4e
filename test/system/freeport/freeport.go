package freeport

import (
	"context"
	"fmt"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"testing"
)

// Each process of a test run has its own block of ports. The blocks are below the ports that a system assigns
// automatically, so no listener or connection of another test gets a port between its choice and its use.
const (
	firstPort = 11_000 // browsers refuse 10080
	blockSize = 200
	blocks    = 100
)

// A reserved block belongs to this process, because it listens on the block's first port until it ends.
type reserved struct {
	first int
	net.Listener
}

// block reserves this process's block.
var block = sync.OnceValues(func() (reserved, error) {
	for i := range blocks {
		base := firstPort + (os.Getpid()+i)%blocks*blockSize
		l, err := listen(base)
		if err == nil {
			return reserved{base, l}, nil
		}
	}
	return reserved{}, fmt.Errorf("none of %d blocks of ports is free", blocks)
})

var next atomic.Int32

// Find returns n ports of 127.0.0.1 on which nothing listens.
func Find(t testing.TB, n int) (ports []int) {
	t.Helper()
	mine, err := block()
	if err != nil {
		t.Fatal(err)
	}
	for range blockSize {
		if len(ports) == n {
			return ports
		}
		port := mine.first + 1 + int(next.Add(1))%(blockSize-1)
		if l, err := listen(port); err == nil {
			_ = l.Close()
			ports = append(ports, port)
		}
	}
	t.Fatalf("%d of the %d ports from %d on are free, want %d", len(ports), blockSize, mine.first, n)
	return nil
}

func listen(port int) (net.Listener, error) {
	return (&net.ListenConfig{}).Listen(context.Background(), "tcp", fmt.Sprintf("127.0.0.1:%d", port))
}
