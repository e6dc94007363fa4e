package intake_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/griot/internal/intake"
)

const (
	each = 1 << 20
	all  = 32 << 20
)

// post returns a request from an address, with a body of n bytes.
func post(t *testing.T, address string, n int) *http.Request {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), "POST", "/", io.NopCloser(strings.NewReader(strings.Repeat("x", n))))
	r.ContentLength, r.RemoteAddr = -1, address+":4711"
	return r
}

// fill reads bodies of an address until one is refused, and returns the number of bytes held.
func fill(t *testing.T, b *intake.Budget, address string, n int) (held int) {
	t.Helper()
	for range all / n {
		_, release, err := b.Read(httptest.NewRecorder(), post(t, address, n), each, all)
		if errors.Is(err, intake.ErrFull) {
			release()
			return held
		}
		t.Cleanup(release)
		if err != nil {
			t.Fatal(err)
		}
		held += n
	}
	return held
}

func read(t *testing.T, b *intake.Budget, address string, n int) error {
	t.Helper()
	_, release, err := b.Read(httptest.NewRecorder(), post(t, address, n), each, all)
	release()
	return err
}

func TestRead_OneAddressGetsAnEighth(t *testing.T) {
	t.Parallel()
	for _, size := range []int{each - 1, 16<<10 - 1} {
		b := &intake.Budget{}
		if held := fill(t, b, "192.0.2.1", size); held == 0 || held > all/8 {
			t.Errorf("bodies of %d bytes: one address has %d bytes, want some and %d at most", size, held, all/8)
		}
		if err := read(t, b, "192.0.2.2", size); err != nil {
			t.Errorf("another address: %v", err)
		}
		for n := range 2 { // of one /64
			fill(t, b, fmt.Sprintf("[2001:db8::%d]", n), size)
		}
		if err := read(t, b, "[2001:db8::3]", size); !errors.Is(err, intake.ErrFull) {
			t.Errorf("a third address of the same /64: %v, want %v", err, intake.ErrFull)
		}
	}
}

// One body is always possible, also one that is larger than an eighth.
func TestRead_OneBodyIsAlwaysPossible(t *testing.T) {
	t.Parallel()
	const each = 23 << 20
	b := &intake.Budget{}
	b.Prove(post(t, "192.0.2.1", 0))
	for _, address := range []string{"192.0.2.1", "192.0.2.2"} {
		_, release, err := b.Read(httptest.NewRecorder(), post(t, address, each), each, 96<<20)
		if release(); err != nil {
			t.Errorf("from %s: %v", address, err)
		}
	}
}

// Large bodies leave room for small ones, also of the same address.
func TestRead_LargeBodiesLeaveRoomForSmallOnes(t *testing.T) {
	t.Parallel()
	b := &intake.Budget{}
	fill(t, b, "192.0.2.1", each-1)
	if err := read(t, b, "192.0.2.1", 2000); err != nil {
		t.Errorf("a small body: %v", err)
	}
}

// Regardless of the requests of strangers, addresses that have signed keep half of the budget.
func TestRead_SignedAddressesKeepAShare(t *testing.T) {
	t.Parallel()
	for _, size := range []int{each - 1, 16<<10 - 1} {
		b := &intake.Budget{}
		b.Prove(post(t, "192.0.2.1", 0))
		held := 0
		for n := range 20 {
			held += fill(t, b, fmt.Sprintf("198.51.100.%d", n), size)
		}
		if held == 0 || held > all/2 {
			t.Errorf("strangers hold %d bytes, want some and %d at most", held, all/2)
		}
		if got := fill(t, b, "192.0.2.1", size); got < all/8-each {
			t.Errorf("a signed address gets %d bytes beside them, want %d at least", got, all/8-each)
		}
	}
}

func TestRead_ReleasesWhatItHeld(t *testing.T) {
	t.Parallel()
	b := &intake.Budget{}
	for range 100 {
		if err := read(t, b, "192.0.2.1", each-1); err != nil {
			t.Fatal(err)
		}
	}
	if err := read(t, b, "192.0.2.1", each+1); !errors.Is(err, intake.ErrTooLarge) {
		t.Errorf("a body that is too large: %v", err)
	}
	if held := b.Held(); held != 0 {
		t.Errorf("%d bytes are held afterward", held)
	}
}
