package cloudapi

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/httpcall"
)

// mediaAddress returns the address of a file for [sender.OpenMedia]: its ID, or the URL of a file without an ID. URLs
// are valid for five minutes, IDs of received files for seven days.
func mediaAddress(f *file) string {
	if mediaID.MatchString(string(f.ID)) {
		return string(f.ID)
	}
	return string(f.URL)
}

var mediaID = regexp.MustCompile(`\A[0-9A-Za-z_-]{1,128}\z`)

// OpenMedia implements [gateway.MediaOpener]. For an ID, it requests the URL, which also requires the access token.
func (s *sender) OpenMedia(ctx context.Context, address string, public *http.Client) (io.ReadCloser, error) {
	if mediaID.MatchString(address) {
		answer, failure := s.Call(ctx, s.request(http.MethodGet, address, "", nil), answerError)
		if failure != nil {
			return nil, failure
		}
		var f struct {
			URL string `json:"url"`
		}
		if json.Unmarshal(answer.Body, &f) != nil || f.URL == "" {
			return nil, &gateway.Error{Class: gateway.Temporary, Code: httpcall.CodeMediaUnavailable}
		}
		address = f.URL
	}
	r := &httpcall.Request{URL: address, Header: http.Header{"Authorization": {"Bearer " + s.settings.AccessToken}}}
	var body io.ReadCloser
	var failure *gateway.Error
	switch whose(address, s.settings.BaseURL) {
	case "configured":
		body, failure = s.Open(ctx, r)
	case "meta":
		body, failure = httpcall.OpenBy(ctx, public.Transport, r)
	default: // never send the token to another host
		return nil, &gateway.Error{Class: gateway.Permanent, Code: httpcall.CodeMediaUnavailable}
	}
	if failure != nil {
		return nil, failure
	}
	return body, nil
}

// whose classifies the host of an address: the configured host, Meta, or "" for any other.
func whose(address, base string) string {
	u, err := url.Parse(address)
	if err != nil || u.User != nil {
		return ""
	}
	if own, err := url.Parse(base); err == nil && u.Scheme == own.Scheme && u.Host == own.Host {
		return "configured"
	}
	hosts := []string{".fbsbx.com", ".fbcdn.net", ".facebook.com", ".whatsapp.net"}
	if u.Scheme == "https" && u.Port() == "" && slices.ContainsFunc(hosts, func(h string) bool { return strings.HasSuffix(u.Hostname(), h) }) {
		return "meta"
	}
	return ""
}
