package openapi_test

import (
	"fmt"
	"testing"
)

// recorder is a testing.TB that keeps what it is told.
type recorder struct {
	testing.TB
	said []string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.said = append(r.said, fmt.Sprintf(format, args...))
}
