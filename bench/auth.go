package main

import (
	"context"
	"fmt"
	"runtime"
	"time"
)

const pollers = 2000

// status measures the poll of a waiting page.
func (r *report) status(ctx context.Context, g *griot) error {
	if !r.wants("status") {
		return nil
	}
	sessions, err := g.logins(ctx, pollers, "", false)
	if err != nil {
		return err
	}
	return r.inTurns(ctx, "bare net/http JSON handler", "/", "GET /authorize/status", host(g.AuthURL), r.poll(sessions), "of bare handler, ≥ 0.80")
}

// poll returns a plan that polls each session in turn.
func (r *report) poll(sessions []*session) plan {
	return func(conn, turn int, b []byte) []byte {
		s := sessions[(turn*r.o.conns+conn)%len(sessions)]
		return request(b, "GET", "/authorize/status?loginKeyId="+s.id, nil, "Cookie: "+s.cookie)
	}
}

// documents returns the documents that are the same for everyone.
func documents() []struct{ name, path string } {
	return []struct{ name, path string }{{"JWKS", "/.well-known/jwks.json"}, {"metadata", "/.well-known/oauth-authorization-server"}}
}

// documents measures the JWKS and the metadata.
func (r *report) documents(ctx context.Context, g *griot) error {
	for _, d := range documents() {
		if !r.wants("documents " + d.name) {
			continue
		}
		ask := func(_, _ int, b []byte) []byte { return request(b, "GET", d.path, nil) }
		if err := r.inTurns(ctx, "bare static handler", staticPath, d.name, host(g.AuthURL), ask, "of bare static handler, ≥ 0.95"); err != nil {
			return err
		}
	}
	return nil
}

const exchanges = 6000

// token measures the exchange of codes, each code once, without OpenID Connect and with it, which needs a second
// signature.
func (r *report) token(ctx context.Context, g *griot) error {
	if !r.wants("token") {
		return nil
	}
	if err := r.exchange(ctx, g, "POST /token", "", 1); err != nil {
		return err
	}
	return r.exchange(ctx, g, "POST /token, OpenID Connect", "openid profile phone", 2)
}

func (r *report) exchange(ctx context.Context, g *griot, name, scope string, signatures float64) error {
	sessions, err := g.logins(ctx, exchanges, scope, true)
	if err != nil {
		return err
	}
	each := len(sessions) / r.o.conns
	before := g.cpu()
	res, err := load(ctx, host(g.AuthURL), r.o.conns, 0, func(conn, turn int, b []byte) []byte {
		if turn >= each {
			return nil
		}
		body := fmt.Sprintf(`{"code":%q,"client_id":%q,"redirect_uri":%q,"code_verifier":%q}`, sessions[conn*each+turn].code, g.Clients.TestPublic.ClientID, g.Clients.TestPublic.RedirectURI, verifier)
		return request(b, "POST", "/token", []byte(body))
	})
	if err != nil {
		return err
	}
	r.rate(name, res, r.signs/signatures, fmt.Sprintf("of signatures, %.0f each, ≥ 0.70", signatures))
	// The time of a plain signature is measured in the same run, under the same load of the machine.
	took := (g.cpu() - before) / time.Duration(res.count)
	sign := time.Duration(signatures * float64(time.Second) * float64(runtime.GOMAXPROCS(0)) / r.signs)
	r.line("  processor time an exchange", fmt.Sprintf("%.2f ms", took.Seconds()*1e3), fmt.Sprintf("%.2f", float64(took)/float64(sign)), "≤ 1.0 ms a signature; the ratio is to bare signatures")
	return nil
}

const waiters = 100_000

// waiting measures the memory of waiting logins with the longest states.
func (r *report) waiting(ctx context.Context, g *griot) error {
	if !r.wants("waiting") {
		return nil
	}
	begun := time.Now()
	sessions, err := g.logins(ctx, waiters, "openid", false)
	if err != nil {
		return err
	}
	took := time.Since(begun)
	r.line("100,000 live logins: memory", fmt.Sprintf("%.0f MB", g.memory()), "", fmt.Sprintf("< 170 MB; started in %.0f s, live for 90 s", took.Seconds()))
	res, err := load(ctx, host(g.AuthURL), r.o.conns, r.o.seconds, r.poll(sessions))
	if err != nil {
		return err
	}
	r.rate("  polls among them", res, 0, "no target")
	r.line("  memory then", fmt.Sprintf("%.0f MB", g.memory()), "", "< 170 MB")
	return nil
}
