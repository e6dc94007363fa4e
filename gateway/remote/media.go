package remote

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"reflect"
	"strings"

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/httpcall"
)

// media returns an event's attachment: the first of its bytes, its address, and the reason why it is missing that can be
// used. If none can be, it is unavailable. ok is false if the event doesn't follow the protocol.
func (e *InboundEvent) media() (m InboundMedia, ok bool) {
	given := InboundMedia{}
	if e.Media != nil {
		given = *e.Media
	}
	named := given.MIMEType != "" || given.FileName != ""
	ok = given.URL == "" || e.MediaURL == "" || given.URL == e.MediaURL
	given.URL, given.MIMEType, given.FileName = cmp.Or(given.URL, e.MediaURL), cmp.Or(given.MIMEType, e.MIMEType), cmp.Or(given.FileName, e.FileName)
	m = InboundMedia{MIMEType: limited(given.MIMEType, maxName), FileName: limited(given.FileName, maxName)}
	switch url := limited(given.URL, maxURL); {
	case len(given.Data) > 0:
		m.Data = given.Data
	case url != "":
		m.URL = url
	case given.Missing == gateway.MediaTooLarge:
		m.Missing = given.Missing
	case given.URL != "", given.Missing != "", given.Data != nil, named:
		m.Missing = gateway.MediaUnavailable
	}
	return m, ok && reflect.DeepEqual(m, given)
}

// OpenMedia implements [gateway.MediaOpener]. It requests a path from the gateway itself, with a signature. Any other
// address is fetched as a public one, without credentials.
func (s *sender) OpenMedia(ctx context.Context, address string, public *http.Client) (io.ReadCloser, error) {
	var body io.ReadCloser
	var failure *gateway.Error
	if strings.HasPrefix(address, "/") && !strings.HasPrefix(address, "//") {
		header := http.Header{}
		s.sign(header, http.MethodGet, address, nil)
		body, failure = s.Open(ctx, &httpcall.Request{URL: s.settings.URL + address, Header: header})
	} else {
		body, failure = httpcall.OpenBy(ctx, public.Transport, &httpcall.Request{URL: address})
	}
	if failure != nil {
		return nil, failure
	}
	return body, nil
}
