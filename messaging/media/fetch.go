package media

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/safedial"
)

// maxRedirects is the maximum number of redirects to an attachment.
const maxRedirects = 5

// NewClient returns a client for [New], which follows redirects.
func NewClient(o safedial.Options) *http.Client {
	o.Redirects = maxRedirects
	return safedial.Client(o)
}

// MaxSize is the maximum size of an attachment, in bytes.
const MaxSize = 16 << 20

const (
	keepFor   = 5 * time.Minute
	keepBytes = 4 * MaxSize // total size of all cached attachments
	fetchTime = 10 * time.Second
)

// A Fetcher fetches attachments. It is safe for concurrent use.
type Fetcher struct {
	client *http.Client
	now    clock.Now

	mu    sync.Mutex
	kept  map[string]*entry // by URL
	bytes int
}

type entry struct {
	done  chan struct{}
	until time.Time // end of the cache lifetime
	media *gateway.Media
	err   error
}

// New returns a fetcher. Its client decides which addresses it can connect to.
func New(client *http.Client, now clock.Now) *Fetcher {
	return &Fetcher{client: client, now: now, kept: map[string]*entry{}}
}

// Fetch returns the content at a URL. The bytes are shared and must not be changed.
//
// The error is a *[gateway.Error]: Permanent with media_not_found, media_too_large, or media_refused (the address is
// not allowed), or Temporary with media_unavailable if the server does not respond correctly.
func (f *Fetcher) Fetch(ctx context.Context, address string) (*gateway.Media, error) {
	e, mine := f.entry(address)
	if mine {
		e.media, e.err = f.get(context.WithoutCancel(ctx), address)
		f.keep(address, e)
		close(e.done)
	}
	select {
	case <-e.done:
		return e.media, e.err
	case <-ctx.Done():
		return nil, unavailable(ctx.Err())
	}
}

// entry returns a URL's entry. If mine is true, the caller must fill it.
func (f *Fetcher) entry(address string) (e *entry, mine bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.now()
	for a, e := range f.kept {
		if !e.until.IsZero() && now.After(e.until) {
			f.drop(a, e)
		}
	}
	if e := f.kept[address]; e != nil {
		return e, false
	}
	e = &entry{done: make(chan struct{})}
	f.kept[address] = e
	return e, true
}

// keep stores or drops the result of a fetch for later messages.
func (f *Fetcher) keep(address string, e *entry) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if e.err != nil || f.bytes+len(e.media.Data) > keepBytes {
		delete(f.kept, address)
		return
	}
	e.until = f.now().Add(keepFor)
	f.bytes += len(e.media.Data)
}

func (f *Fetcher) drop(address string, e *entry) {
	delete(f.kept, address)
	f.bytes -= len(e.media.Data)
}

func (f *Fetcher) get(ctx context.Context, address string) (*gateway.Media, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, refused(errors.New("not an address"))
	}
	res, err := f.client.Do(req)
	if err != nil {
		return nil, transportError(err)
	}
	defer func() { _ = res.Body.Close() }()
	switch {
	case res.StatusCode >= 500 || res.StatusCode == http.StatusTooManyRequests:
		return nil, unavailable(fmt.Errorf("status %d", res.StatusCode))
	case res.StatusCode != http.StatusOK:
		return nil, &gateway.Error{Class: gateway.Permanent, Code: "media_not_found", ProviderCode: fmt.Sprint(res.StatusCode)}
	}
	data, err := io.ReadAll(io.LimitReader(res.Body, MaxSize+1))
	switch {
	case err != nil:
		return nil, unavailable(err)
	case len(data) > MaxSize:
		return nil, &gateway.Error{Class: gateway.Permanent, Code: "media_too_large"}
	}
	name := fileName(res.Header.Get("Content-Disposition"), res.Request.URL)
	kind := KindOf(data, name, res.Header.Get("Content-Type"))
	return &gateway.Media{URL: address, Data: data, MIMEType: kind, FileName: withExtension(name, kind)}, nil
}

func unavailable(err error) *gateway.Error {
	return &gateway.Error{Class: gateway.Temporary, Code: "media_unavailable", Err: withoutAddress(err)}
}

func refused(err error) *gateway.Error {
	return &gateway.Error{Class: gateway.Permanent, Code: "media_refused", Err: withoutAddress(err)}
}

// transportError returns the error for an address that is not allowed, or for a server that does not respond.
func transportError(err error) *gateway.Error {
	if errors.Is(err, safedial.ErrRefused) {
		return refused(err)
	}
	return unavailable(err)
}

// withoutAddress removes the URL from an error, because it might be secret.
func withoutAddress(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}
