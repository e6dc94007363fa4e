package intake

import (
	"net/http"
	"net/netip"
	"sync"

	"example.com/griot/internal/limit"
)

const (
	parts     = 8        // an unproved address gets one of them
	small     = 64 << 10 // bytes; bodies up to this size have a quarter of the budget reserved
	maxProved = 256      // addresses
)

// Budget limits the memory that bodies of unknown senders use, in total and for each address. It is safe for concurrent
// use.
type Budget struct {
	mu           sync.Mutex
	small, large pool
	proved       map[string]bool
}

// pool is a part of a budget.
type pool struct {
	held, unproved int64            // bytes
	by             map[string]int64 // bytes of unproved addresses
}

// Held returns the number of bytes of the bodies in memory.
func (b *Budget) Held() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.small.held + b.large.held
}

// Prove records that a body from the request's address had a valid signature. Proved addresses can use the whole
// budget. From then on, all others share one half.
func (b *Budget) Prove(r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	address := addressOf(r)
	if b.proved[address] {
		return
	}
	if b.proved == nil {
		b.proved = map[string]bool{}
	}
	for old := range b.proved { // any other one can prove itself again
		if len(b.proved) < maxProved {
			break
		}
		delete(b.proved, old)
	}
	b.proved[address] = true
}

func addressOf(r *http.Request) string {
	a, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return ""
	}
	return limit.Address(a.Addr())
}

// reservation is the part of a budget that one body uses.
type reservation struct {
	b            *Budget
	address      string
	proved       bool // at the start
	each, all    int64
	small, large int64
}

func (b *Budget) reserve(r *http.Request, each, all int64) *reservation {
	b.mu.Lock()
	defer b.mu.Unlock()
	address := addressOf(r)
	return &reservation{b: b, address: address, proved: b.proved[address], each: each, all: all}
}

// grow reserves more bytes. The bytes beyond a small body come from the other pool.
func (v *reservation) grow(more int64) bool {
	v.b.mu.Lock()
	defer v.b.mu.Unlock()
	if v.small+more <= small || v.each <= small {
		size := v.all
		if v.each > small {
			size /= 4
		}
		return v.b.small.take(v, &v.small, more, size, small)
	}
	return v.b.large.take(v, &v.large, more, v.all-v.all/4, v.each)
}

// take reserves bytes of a pool with a size. An address always gets the bytes of at least one body.
func (p *pool) take(v *reservation, of *int64, more, size, body int64) bool {
	if p.held+more > size {
		return false
	}
	if !v.proved {
		unproved := size
		if len(v.b.proved) > 0 {
			unproved /= 2
		}
		if p.unproved+more > unproved || p.by[v.address]+more > max(size/parts, body) {
			return false
		}
		if p.by == nil {
			p.by = map[string]int64{}
		}
		p.by[v.address] += more
		p.unproved += more
	}
	p.held += more
	*of += more
	return true
}

// release returns the reserved bytes.
func (v *reservation) release() {
	v.b.mu.Lock()
	defer v.b.mu.Unlock()
	v.b.small.give(v, &v.small)
	v.b.large.give(v, &v.large)
}

func (p *pool) give(v *reservation, of *int64) {
	p.held -= *of
	if !v.proved && *of > 0 {
		p.unproved -= *of
		if p.by[v.address] -= *of; p.by[v.address] <= 0 {
			delete(p.by, v.address)
		}
	}
	*of = 0
}
