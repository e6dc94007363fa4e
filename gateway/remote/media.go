package remote

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"slices"
	"strings"

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/httpcall"
)

// media returns an event's attachment, in whichever form it is given. It returns false if there is more than one form.
func (e *InboundEvent) media() (m InboundMedia, ok bool) {
	if e.Media != nil {
		m = *e.Media
	}
	if e.MediaURL != "" && (m.URL != "" && m.URL != e.MediaURL || len(m.Data) > 0 || m.Missing != "") {
		return m, false
	}
	m.URL, m.MIMEType, m.FileName = cmp.Or(m.URL, e.MediaURL), cmp.Or(m.MIMEType, e.MIMEType), cmp.Or(m.FileName, e.FileName)
	given := 0
	for _, is := range []bool{m.URL != "", len(m.Data) > 0, m.Missing != ""} {
		if is {
			given++
		}
	}
	return m, given <= 1 && slices.Contains([]string{"", gateway.MediaTooLarge, gateway.MediaUnavailable}, m.Missing)
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
