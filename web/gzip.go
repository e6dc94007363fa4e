package web

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"sync"
)

// compress returns a body as small as gzip makes it. It is for what is compressed once and sent often. A writer takes
// most of a megabyte, so that the caller's is used for all.
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

// compressTo writes a body that is made for one answer.
func compressTo(w io.Writer, body []byte) error {
	z := compressors.Get().(*gzip.Writer) //nolint:forcetypeassert // the pool's own type
	defer compressors.Put(z)
	z.Reset(w)
	if _, err := z.Write(body); err != nil {
		return err
	}
	return z.Close()
}

// acceptsGzip reports whether Accept-Encoding names gzip and does not weigh it zero.
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
