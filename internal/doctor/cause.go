package doctor

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"net/url"

	"example.com/griot/internal/db"
)

// cause returns the reason of a failure, in words that contain neither an address with a password nor a value.
func cause(err error) string {
	if err == nil {
		return ""
	}
	if text := db.Describe(err); text != "" {
		return text
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return "no response in time"
	}
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Path + ": " + at.Err.Error()
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		return "the name " + dns.Name + " can't be resolved"
	}
	if op, ok := errors.AsType[*net.OpError](err); ok {
		return op.Err.Error()
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err.Error()
	}
	return err.Error()
}
