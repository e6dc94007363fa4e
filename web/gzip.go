package web

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"sync"
)

// compress returns a body compressed as much as possible with gzip. It is for bodies that are compressed once and
// sent often. A writer uses most of a megabyte, so the caller's writer is used for all.
func compress(z *gzip.Writer, body []byte) ([]byte, error) {
	var b bytes.Buffer
	z.Reset(&b)
	if _, err := z.Write(body); err != nil {
		return nil, err
	}
	err := z.Close()
	return b.Bytes(), err
}

var compressors = sync.Pool{New: func() any { return gzip.NewWriter(io.Discard) }}

// compressTo writes a body that is created for one response.
func compressTo(w io.Writer, body []byte) error {
	z := compressors.Get().(*gzip.Writer) //nolint:forcetypeassert // the pool's own type
	defer compressors.Put(z)
	z.Reset(w)
	if _, err := z.Write(body); err != nil {
		return err
	}
	return z.Close()
}

// acceptsGzip reports whether Accept-Encoding names gzip with a weight other than zero.
func acceptsGzip(r *http.Request) bool {
	for _, header := range r.Header.Values("Accept-Encoding") {
		for item := range strings.SplitSeq(header, ",") {
			name, params, _ := strings.Cut(item, ";")
			if !strings.EqualFold(strings.TrimSpace(name), "gzip") {
				continue
			}
			weight := strings.TrimRight(strings.ReplaceAll(params, " ", ""), "0")
			return weight != "q=" && weight != "q=0."
		}
	}
	return false
}
