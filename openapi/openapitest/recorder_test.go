package openapitest_test

import (
	"fmt"
	"sync"
	"testing"
)

// recorder is a testing.TB that keeps its errors.
type recorder struct {
	testing.TB
	mu     sync.Mutex
	errors []string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

// Fatalf panics, as far as a helper can be stopped without ending the test.
func (r *recorder) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
