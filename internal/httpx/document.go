package httpx

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"time"
)

// Document is a body that is prepared once and served many times, with an ETag.
type Document struct {
	body         []byte
	contentType  []string
	etag         []string
	length       []string
	cacheControl []string
}

// NewDocument prepares a body. maxAge is the cache lifetime; zero means that caches revalidate each time.
func NewDocument(contentType string, body []byte, maxAge time.Duration) *Document {
	sum := sha256.Sum256(body)
	cache := "no-cache"
	if maxAge > 0 {
		cache = "public, max-age=" + strconv.Itoa(int(maxAge/time.Second))
	}
	return &Document{
		body:         body,
		contentType:  []string{contentType},
		etag:         []string{`"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`},
		length:       []string{strconv.Itoa(len(body))},
		cacheControl: []string{cache},
	}
}

// ServeHTTP writes the document, or 304 if the client has it.
func (d *Document) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h["Content-Type"], h["Etag"], h["Cache-Control"] = d.contentType, d.etag, d.cacheControl
	h["X-Content-Type-Options"] = nosniff
	if r.Header.Get("If-None-Match") == d.etag[0] {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h["Content-Length"] = d.length
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write(d.body)
	}
}

var nosniff = []string{"nosniff"}
