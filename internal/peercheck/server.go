package peercheck

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"example.com/griot/internal/clock"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/id"
	"example.com/griot/internal/seal"
)

// Path is the path of the check.
const Path = "/doctor/peer"

const (
	scheme     = "Griot-Peer "
	nonceBytes = 16
	validity   = 2 * time.Minute // of a signed nonce, before and after its time
	maxNonce   = 128
)

// Seen is the server's view of a request.
type Seen struct {
	Service   string `json:"service"`
	Peer      string `json:"peer"`      // the address and port of the connection
	Client    string `json:"client"`    // the client address that the server uses
	Trusted   bool   `json:"trusted"`   // the peer is one of trusted_proxies
	Forwarded string `json:"forwarded"` // X-Forwarded-For
	Proto     string `json:"proto"`     // X-Forwarded-Proto
	TLS       bool   `json:"tls"`       // the connection uses TLS
}

// maxHeader is the maximum length of a header in the response.
const maxHeader = 512

type answer struct {
	Seen json.RawMessage `json:"seen"`
	MAC  string          `json:"mac"`
}

// Server handles the check for a service.
type Server struct {
	Service string
	Key     *seal.Key
	Proxies []netip.Prefix // the trusted ones
	Now     clock.Now
}

// Handler handles signed requests to [Path], and passes all others to next.
func (s *Server) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		nonce, ok := s.nonce(r)
		if !ok {
			next.ServeHTTP(w, r)
			return
		}
		seen, err := json.Marshal(s.seen(r))
		if err != nil {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		_ = json.NewEncoder(w).Encode(answer{seen, mac(s.Key, "answer", nonce, string(seen))})
	})
}

// nonce returns the nonce of a request; ok is false if the request is not signed for this service.
func (s *Server) nonce(r *http.Request) (nonce string, ok bool) {
	if r.Method != http.MethodGet || r.URL.Path != Path {
		return "", false
	}
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), scheme)
	parts := strings.Split(token, ".")
	if !ok || len(token) > maxNonce || len(parts) != 3 {
		return "", false
	}
	at, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil || s.Now().Sub(time.Unix(at, 0)).Abs() > validity {
		return "", false
	}
	return parts[0], seal.Equal(parts[2], mac(s.Key, "request", s.Service, parts[0], parts[1]))
}

func (s *Server) seen(r *http.Request) Seen {
	peer := httpx.ClientIP(r)
	client, _ := httpx.ForwardedClient(r, s.Proxies)
	return Seen{
		Service: s.Service, Peer: r.RemoteAddr, Client: client.String(), Trusted: httpx.Within(s.Proxies, peer),
		Forwarded: short(strings.Join(r.Header.Values("X-Forwarded-For"), ", ")), Proto: short(r.Header.Get("X-Forwarded-Proto")), TLS: r.TLS != nil,
	}
}

func short(s string) string { return s[:min(len(s), maxHeader)] }

// sign returns a new nonce and the credential that contains it.
func sign(key *seal.Key, service string, now time.Time) (nonce, credential string) {
	nonce = id.Token(nonceBytes)
	at := strconv.FormatInt(now.Unix(), 10)
	return nonce, scheme + nonce + "." + at + "." + mac(key, "request", service, nonce, at)
}

func mac(key *seal.Key, parts ...string) string {
	return base64.RawURLEncoding.EncodeToString(seal.MAC(key.Derive("peer-check"), parts...))
}
