package doctor

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"slices"
	"syscall"
	"time"

	"example.com/griot/internal/certificate"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/config"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/peercheck"
	"example.com/griot/internal/seal"
)

// Network checks a deployment's public addresses, as a client that uses them.
type Network struct {
	Config *config.Config
	Key    *seal.Key // nil: it can't be read
	Now    clock.Now
	Serve  func(ctx context.Context) bool // reports whether the deployment's server responds
}

// soon is the time before its expiry at which a certificate should have been renewed.
const soon = 14 * 24 * time.Hour

// Checks returns the checks of the network.
func (n *Network) Checks() []Check {
	return []Check{
		{"certificate", "`tls.cert` and `tls.key` are a pair for the names of `auth.url` and `api.url`, and valid for at least 14 more days.", n.certificate},
		{"tls", "Each public https address presents a certificate for its name that this machine trusts and that is valid for at least 14 more days.", n.public},
		{"proxies", "A request through each public address reaches this deployment's server with the address of its client. The check names a proxy that is missing in `trusted_proxies`, hides its clients, or passes on the addresses that they claim.", n.proxies},
	}
}

// service is one of the public services of the configuration.
type service struct {
	name, setting string
	own           httpx.Own
}

func (n *Network) services() (out []service) {
	for _, s := range []struct{ role, url string }{{config.RoleAuth, n.Config.Auth.URL}, {config.RoleAPI, n.Config.API.URL}} {
		if own, err := httpx.ParseOwn(s.url); err == nil && slices.Contains(n.Config.Roles, s.role) { // otherwise it is an error in the configuration
			out = append(out, service{s.role, s.role + ".url", own})
		}
	}
	return out
}

func (n *Network) certificate(context.Context) []Finding {
	if n.Config.TLS.Cert == "" {
		return nil
	}
	pair, err := certificate.Open(n.Config.TLS.Cert, n.Config.TLS.Key)
	if err != nil {
		return []Finding{Bad(Failed, "correct tls.cert and tls.key", "%s", cause(err)).About("tls.cert")}
	}
	var names []string
	for _, s := range n.services() {
		names = append(names, s.own.Host())
	}
	problem := pair.Warning(n.Now(), names...)
	return []Finding{validity(pair.Leaf(), problem, n.Now(), "renew it, and send griot serve SIGHUP (systemctl reload griot)").About("tls.cert")}
}

// validity returns the finding about a certificate. problem is empty if there is none.
func validity(leaf *x509.Certificate, problem string, now time.Time, hint string) Finding {
	switch ends := leaf.NotAfter.UTC().Format(time.DateOnly); {
	case problem == "":
		return Good("valid until %s", ends)
	case now.Add(soon).After(leaf.NotAfter) && now.Before(leaf.NotAfter):
		return Bad(Warning, hint, "%s, on %s", problem, ends)
	default:
		return Bad(Failed, hint, "%s (valid until %s)", problem, ends)
	}
}

func (n *Network) public(ctx context.Context) (out []Finding) {
	for _, s := range n.services() {
		if s.own.Secure {
			out = append(out, n.shown(ctx, s).About(s.setting))
		}
	}
	return out
}

// shown checks the certificate of a public address.
func (n *Network) shown(ctx context.Context, s service) Finding {
	dialer := tls.Dialer{Config: &tls.Config{ServerName: s.own.Host(), InsecureSkipVerify: true, MinVersion: tls.VersionTLS12}} //nolint:gosec // it is looked at below
	conn, err := dialer.DialContext(ctx, "tcp", s.own.Address())
	if err != nil {
		return n.unreachable(ctx, err)
	}
	defer func() { _ = conn.Close() }()
	c, ok := conn.(*tls.Conn)
	if !ok || len(c.ConnectionState().PeerCertificates) == 0 {
		return Bad(Failed, "", "it presents no certificate")
	}
	chain := c.ConnectionState().PeerCertificates
	leaf, now, problem := chain[0], n.Now(), ""
	const hint = "renew the certificate of the proxy or in tls.cert, wherever TLS ends, and reload"
	switch {
	case now.After(leaf.NotAfter):
		problem = "its certificate has expired"
	case now.Before(leaf.NotBefore):
		problem = "its certificate is not valid yet"
	case leaf.VerifyHostname(s.own.Host()) != nil:
		problem = "its certificate is not for " + s.own.Host()
	case now.Add(soon).After(leaf.NotAfter):
		problem = "its certificate expires within 14 days"
	}
	if problem != "" {
		return validity(leaf, problem, now, hint)
	}
	between := x509.NewCertPool()
	for _, c := range chain[1:] {
		between.AddCert(c)
	}
	if _, err := leaf.Verify(x509.VerifyOptions{Intermediates: between, CurrentTime: now}); err != nil {
		return Bad(Warning, "configure the server to send the intermediate certificates, and use an authority that its clients trust",
			"this machine doesn't trust its certificate")
	}
	return validity(leaf, "", now, hint)
}

// unreachable returns the finding about a public address that can't be reached from here.
func (n *Network) unreachable(ctx context.Context, err error) Finding {
	_, noName := errors.AsType[*net.DNSError](err)
	refused := errors.Is(err, syscall.ECONNREFUSED)
	switch {
	case refused && !n.Serve(ctx):
		return Bad(Unknown, "start griot serve, and run griot doctor again", "nothing listens at this address, and no server runs on this machine")
	case noName, refused:
		return Bad(Failed, "correct the name's DNS record, the proxy, or the setting", "the address can't be reached: %s", cause(err))
	}
	return Bad(Unknown, "check it from another network, because some routers can't route to their own public address", "the address can't be reached from this machine: %s", cause(err))
}

func (n *Network) proxies(ctx context.Context) (out []Finding) {
	for _, s := range n.services() {
		out = append(out, n.peer(ctx, s).About(s.setting))
	}
	return out
}

// peer makes a request through a public address and checks how the server saw it.
func (n *Network) peer(ctx context.Context, s service) Finding {
	if n.Key == nil {
		return Bad(Unknown, "", "there is no master key to sign the request with")
	}
	seen, local, err := peercheck.Ask(ctx, n.Key, s.name, s.own.URL, n.Now())
	switch {
	case errors.Is(err, peercheck.ErrNotHere) && !n.Serve(ctx):
		return Bad(Unknown, "start griot serve, and run griot doctor again", "no server runs on this machine, and another program responds at this address")
	case errors.Is(err, peercheck.ErrNotHere):
		return Bad(Failed, "configure the proxy to forward all paths of this name to "+s.setting[:len(s.setting)-len(".url")]+".listen", "the request didn't reach this service: another program or another service responds at this address")
	case err != nil:
		return n.unreachable(ctx, err)
	}
	if p := seen.Look(local, s.own.Secure); p != nil {
		return Bad(Failed, p.Hint, "%s", p.Text)
	}
	if seen.Trusted {
		return Good("through a proxy, with the client's address")
	}
	return Good("without a proxy, with the client's address")
}
