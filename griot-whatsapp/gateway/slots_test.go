package gateway_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"example.com/griot/griot-whatsapp/storetest"
)

// neverEnding returns one byte, reports that, and withholds further bytes until the test ends.
type neverEnding struct {
	begun chan<- struct{}
	end   <-chan struct{}
	given bool
}

func (b *neverEnding) Read(p []byte) (int, error) {
	if !b.given {
		b.given = true
		p[0] = '{'
		return 1, nil
	}
	select {
	case b.begun <- struct{}{}:
	case <-b.end:
	}
	<-b.end
	return 0, io.ErrUnexpectedEOF
}

// hold sends large bodies from an address with a known key ID and without a valid signature, and returns the number
// of bodies that are read.
func hold(t *testing.T, h http.Handler, address string, n int, end <-chan struct{}) (held int) {
	t.Helper()
	for range n {
		begun, refused := make(chan struct{}), make(chan int, 1)
		r := httptest.NewRequest(http.MethodPost, "/send", &neverEnding{begun: begun, end: end})
		key.Sign(r, "/send", []byte("another body"), time.Now())
		r.ContentLength, r.RemoteAddr = -1, address+":4711"
		go func() {
			rec := httptest.NewRecorder()
			h.ServeHTTP(rec, r)
			refused <- rec.Code
		}()
		select {
		case <-begun:
			held++
		case status := <-refused:
			if status != http.StatusTooManyRequests {
				t.Errorf("a body of %s is answered with %d, want 429", address, status)
			}
		case <-time.After(patience):
			t.Fatal("a body is neither read nor refused")
		}
	}
	return held
}

// Large bodies without a valid signature leave slots for other addresses, and for addresses with a valid signature.
func TestHandler_SlotsOfLargeBodies(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, storetest.Limits)
	h := w.gateway.Handler()
	end := make(chan struct{})
	defer close(end)
	call := func(address string) int {
		const target = "/messages/msg_unknown"
		r := httptest.NewRequest(http.MethodGet, target, nil)
		key.Sign(r, target, nil, time.Now())
		r.RemoteAddr = address + ":4711"
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, r)
		return rec.Code
	}
	if status := call("192.0.2.1"); status != http.StatusNotFound {
		t.Fatalf("a signed call: %d, want 404", status)
	}
	if held := hold(t, h, "198.51.100.1", 8, end); held != 1 {
		t.Errorf("one address holds %d slots, want 1", held)
	}
	for _, address := range []string{"[2001:db8::1]", "[2001:db8::2]"} { // in one /64
		hold(t, h, address, 1, end)
	}
	strangers := 0
	for _, address := range []string{"[2001:db8::3]", "198.51.100.2", "198.51.100.3", "198.51.100.4"} {
		strangers += hold(t, h, address, 1, end)
	}
	if strangers != 2 {
		t.Errorf("more addresses hold %d slots, want 2, with which strangers have half", strangers)
	}
	if held := hold(t, h, "192.0.2.1", 8, end); held != 4 {
		t.Errorf("an address that has signed gets %d slots, want the other 4", held)
	}
}
