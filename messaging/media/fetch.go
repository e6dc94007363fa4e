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

// maxRedirects is how many redirects lead to an attachment at most.
const maxRedirects = 5

// NewClient returns a client for [New], which follows redirects.
func NewClient(o safedial.Options) *http.Client {
	o.Redirects = maxRedirects
	return safedial.Client(o)
}

// MaxSize is the largest attachment, in bytes.
const MaxSize = 16 << 20

const (
	keepFor   = 5 * time.Minute
	keepBytes = 4 * MaxSize // of all that is kept
	fetchTime = 10 * time.Second
)

// Fetcher fetches attachments. It is safe for concurrent use.
type Fetcher struct {
	client *http.Client
	now    clock.Now

	mu    sync.Mutex
	kept  map[string]*entry // by address
	bytes int
}

type entry struct {
	done  chan struct{}
	until time.Time // of what was fetched
	media *gateway.Media
	err   error
}

// New returns a fetcher. Its client decides which addresses may be dialed.
func New(client *http.Client, now clock.Now) *Fetcher {
	return &Fetcher{client: client, now: now, kept: map[string]*entry{}}
}

// Fetch returns what is at an address. The bytes are shared: nobody may change them.
//
// Its error is a *[gateway.Error]: Permanent with media_not_found, media_too_large,
// or media_refused (an address that is not allowed), Temporary with
// media_unavailable when the server does not answer as it should.
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

// entry returns an address's entry; mine says that the caller is to fill it.
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

// keep keeps or drops the result of a fetch for later messages.
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

// transportError returns the error for an address that may not be dialed, or for a server that does not answer.
func transportError(err error) *gateway.Error {
	if errors.Is(err, safedial.ErrRefused) {
		return refused(err)
	}
	return unavailable(err)
}

// withoutAddress removes the address from an error: it may be secret.
func withoutAddress(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}
