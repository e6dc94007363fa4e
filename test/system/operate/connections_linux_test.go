package operate_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/griot/test/system/systemtest"
)

// Thousands of connections that send half of a header, in any form, use little memory, and other clients are served at
// the same time.
func TestServe_HalfSentHeadersCostLittleMemory(t *testing.T) {
	const connections, group, size, mostMB = 3000, 120, 15 << 10, 150
	t.Setenv("GOMEMLIMIT", "110MiB") // the collector must keep up on a busy machine, too; it can't free the memory of connections
	var lines strings.Builder
	for n := 0; lines.Len() < size; n++ {
		lines.WriteString(strconv.FormatInt(int64(n), 36) + ":\n")
	}
	for name, header := range map[string]string{
		"a long line":     "X-Long: " + strings.Repeat("x", size),
		"many short ones": lines.String(),
	} {
		t.Run(name, func(t *testing.T) {
			s := systemtest.StartServeWith(t, "sqlite:"+filepath.Join(t.TempDir(), "griot.db"), "")
			for range connections / group { // a closed connection holds its header until the server's goroutine has run
				openHalfSent(t, strings.TrimPrefix(s.Auth, "http://"), group, "GET /healthz HTTP/1.1\r\nHost: x\r\n"+header)
				if got, err := systemtest.Call("GET", s.Auth+"/healthz", ""); err != nil || got.Status != 200 {
					t.Fatalf("meanwhile /healthz: %d, %v", got.Status, err)
				}
			}
			got := settledMB(t, s.Cmd.Process.Pid)
			t.Logf("%d half-sent headers: %d MB", connections, got)
			if got > mostMB {
				t.Errorf("%d half-sent headers take %d MB, want at most %d", connections, got, mostMB)
			}
		})
	}
}

// The listeners have the limits of the configuration, and an application's longest state fits into a header.
func TestServe_Connections(t *testing.T) {
	s := systemtest.StartServeWith(t, "sqlite:"+filepath.Join(t.TempDir(), "griot.db"), "  state_max: 2048\nconnections: {total: 12}\n")
	for _, url := range []string{s.Auth, s.Api, s.Internal} {
		first, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = first.Close() }()
		_, _ = first.Write([]byte("GET / HTTP/1.1\r\n"))
		openHalfSent(t, strings.TrimPrefix(url, "http://"), 16, "GET / HTTP/1.1\r\n")
		_ = first.SetReadDeadline(time.Now().Add(5 * time.Second)) // before the time for a header is over
		if _, err := first.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s: the oldest unfinished header stays open at the limit: %v", url, err)
		}
	}
	res, err := systemtest.Call("GET", s.Auth+"/authorize?client_id=x&state="+strings.Repeat("%C3%A9", 2048), "")
	if err != nil || res.Status == 0 || res.Status == 431 {
		t.Errorf("a state of 2,048 characters: %d, %v", res.Status, err)
	}
}

// openHalfSent opens connections that send a text and then stay open until the end of the test.
func openHalfSent(t *testing.T, address string, connections int, text string) {
	t.Helper()
	const workers = 8
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for range connections / workers {
				c, err := net.Dial("tcp", address)
				if err != nil {
					t.Error(err)
					return
				}
				t.Cleanup(func() { _ = c.Close() })
				_ = c.SetWriteDeadline(time.Now().Add(10 * time.Second))
				_, _ = c.Write([]byte(text)) // the server might have closed it
			}
		})
	}
	all.Wait()
}

// settledMB returns the peak of a process's own memory, after it no longer grows.
func settledMB(t *testing.T, pid int) int {
	t.Helper()
	most := 0
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); {
		before := most
		time.Sleep(500 * time.Millisecond)
		if most = peakMB(t, pid); most == before {
			break
		}
	}
	return most
}

// peakMB returns the peak of a process's memory without the pages of its program file. Those take up to 40 MB, depending
// on the parts of the program that ran, and the kernel can drop them.
func peakMB(t *testing.T, pid int) int {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	kB := map[string]int{}
	for _, m := range regexp.MustCompile(`(VmHWM|RssFile):\s+(\d+) kB`).FindAllSubmatch(b, -1) {
		kB[string(m[1])], _ = strconv.Atoi(string(m[2]))
	}
	if len(kB) != 2 {
		t.Fatalf("no VmHWM or no RssFile in %s", b)
	}
	return (kB["VmHWM"] - kB["RssFile"]) >> 10
}
