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

// mediaAddress returns the address of a file that one of our numbers has received, for [sender.OpenMedia]: the number, if it
// is known, a slash, and the file's ID; or the URL of a file without an ID. URLs are valid for five minutes, IDs for seven days.
func mediaAddress(f *file, to string) string {
	if mediaID.MatchString(string(f.ID)) {
		return strings.TrimPrefix(to+"/"+string(f.ID), "/")
	}
	return string(f.URL)
}

var mediaID = regexp.MustCompile(`\A[0-9A-Za-z_-]{1,128}\z`)

// OpenMedia implements [gateway.MediaOpener]. For an ID, it requests the URL, which also requires the access token.
func (s *sender) OpenMedia(ctx context.Context, address string, public *http.Client) (io.ReadCloser, error) {
	to, id, ok := strings.Cut(address, "/")
	if !ok { // the number isn't known
		to, id = "", address
	}
	if mediaID.MatchString(id) {
		var failure *gateway.Error
		if address, failure = s.mediaURL(ctx, to, id); failure != nil {
			return nil, failure
		}
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

// mediaURL requests the URL of a file, unless too many such requests for the number have failed.
func (s *sender) mediaURL(ctx context.Context, to, id string) (address string, failure *gateway.Error) {
	if wait := s.media.wait(to, s.now()); wait > 0 {
		return "", &gateway.Error{Class: gateway.RateLimited, Code: "media_rate_limited", RetryAfter: wait}
	}
	answer, failure := s.Call(ctx, s.request(http.MethodGet, id, "", nil), func(answer *httpcall.Answer) *gateway.Error {
		failure := answerError(answer)
		if failure != nil {
			s.media.fail(to, s.now())
		}
		return failure
	})
	if failure != nil {
		return "", failure
	}
	var f struct {
		URL string `json:"url"`
	}
	if json.Unmarshal(answer.Body, &f) != nil || f.URL == "" {
		return "", &gateway.Error{Class: gateway.Temporary, Code: httpcall.CodeMediaUnavailable}
	}
	return f.URL, nil
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
