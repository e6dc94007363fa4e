package peercheck

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"example.com/griot/internal/seal"
)

// forged is the client address that a request claims to have. RFC 5737 reserves it, so no client has it.
const forged = "192.0.2.1"

const maxAnswer = 16 << 10

// ErrNotHere is returned if something other than a server of this deployment responds.
var ErrNotHere = errors.New("peercheck: another program responds, or another service, or a Griot with another master key or clock")

// Ask makes a request through the public address of a service. It returns the server's view of the request, and the
// local end of the connection. It doesn't verify the certificate, because another check does.
func Ask(ctx context.Context, key *seal.Key, service, origin string, now time.Time) (seen Seen, local netip.AddrPort, err error) {
	nonce, credential := sign(key, service, now)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, origin+Path, nil)
	if err != nil {
		return seen, local, err
	}
	req.Header.Set("Authorization", credential)
	req.Header.Set("X-Forwarded-For", forged)
	dialer := &net.Dialer{}
	client := &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{ // never uses a proxy of the environment
			DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS12}, //nolint:gosec // the answer is signed
			DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
				c, err := dialer.DialContext(ctx, network, address)
				if err == nil {
					if at, ok := c.LocalAddr().(*net.TCPAddr); ok {
						local = at.AddrPort()
					}
				}
				return c, err
			},
		},
	}
	res, err := client.Do(req)
	if err != nil {
		return seen, local, err
	}
	defer func() { _ = res.Body.Close() }()
	var a answer
	if res.StatusCode != http.StatusOK {
		return seen, local, fmt.Errorf("%w (HTTP %d)", ErrNotHere, res.StatusCode)
	}
	if err := json.NewDecoder(io.LimitReader(res.Body, maxAnswer)).Decode(&a); err != nil || !seal.Equal(a.MAC, mac(key, "answer", nonce, string(a.Seen))) {
		return seen, local, ErrNotHere
	}
	return seen, local, json.Unmarshal(a.Seen, &seen)
}

// Problem is a problem with the path of requests to a service.
type Problem struct{ Text, Hint string }

// Look returns the problem with the server's view of a request of [Ask]; nil if there is none. local is the local end
// of the connection, and secure reports whether the address is https.
func (s *Seen) Look(local netip.AddrPort, secure bool) *Problem {
	peer, err := netip.ParseAddrPort(s.Peer)
	if err != nil {
		return &Problem{"the server doesn't know its peer's address", ""}
	}
	if peer.Port() == local.Port() && peer.Addr().Unmap() == local.Addr().Unmap() {
		return nil // no proxy: the forged header is only our own
	}
	chain := strings.FieldsFunc(s.Forwarded, func(r rune) bool { return r == ',' || r == ' ' })
	ours := s.Forwarded == forged
	switch {
	case ours && s.TLS == secure && !s.Trusted:
		return nil // no proxy, or one that forwards the bytes: the address is that of its connection
	case s.Forwarded == "" || ours && !s.Trusted:
		return &Problem{
			"the proxy doesn't send its client's address, so all its clients share the limits of one address",
			"configure the proxy to set X-Forwarded-For to its client's address, and add the proxy to trusted_proxies",
		}
	case !s.Trusted:
		return &Problem{
			fmt.Sprintf("the proxy at %s is not trusted, so all its clients share the limits of one address", peer.Addr().Unmap()),
			"add its address to trusted_proxies",
		}
	case ours:
		return &Problem{
			"the proxy passes on X-Forwarded-For from its clients, so anyone can claim any address and escape the limits",
			"configure the proxy to add its client's address to X-Forwarded-For, or to replace the header",
		}
	case s.Client == forged && !slices.Contains(chain, local.Addr().Unmap().String()): // otherwise we run on a proxy's machine
		return &Problem{
			"trusted_proxies contains more than proxies, so Griot accepted an address that the client claimed",
			"set trusted_proxies to the addresses of the proxies only",
		}
	case len(chain) > 2 && chain[0] == forged && slices.Index(chain, s.Client) > 1:
		return &Problem{
			fmt.Sprintf("one of several proxies, at %s, is not trusted, so all its clients share the limits of one address", s.Client),
			"add its address to trusted_proxies",
		}
	case secure && strings.EqualFold(s.Proto, "http"):
		return &Problem{
			"the request used https, but the proxy reports http (X-Forwarded-Proto)",
			"configure the proxy to set X-Forwarded-Proto to the scheme of its client's request",
		}
	}
	return nil
}
