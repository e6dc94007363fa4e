package wire

import (
	"context"
	"io"
)

// A body is a response body that cancels its request when it is closed.
type body struct {
	io.ReadCloser
	cancel context.CancelCauseFunc
}

// Close implements [io.Closer].
func (b *body) Close() error {
	defer b.cancel(nil)
	return b.ReadCloser.Close()
}
