package openapitest_test

import (
	"fmt"
	"sync"
	"testing"
)

// recorder is a testing.TB that keeps what it is told.
type recorder struct {
	testing.TB
	mu   sync.Mutex
	said []string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.said = append(r.said, fmt.Sprintf(format, args...))
}

// Fatalf panics, as far as a helper can be stopped without ending the test.
func (r *recorder) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
