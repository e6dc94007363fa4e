package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

const codes = 40_000

// codes measures the verification of one-time codes, each code once, in the order of sending, and compares it with a
// bare handler that receives the same requests.
func (r *report) codes(ctx context.Context, g *griot) error {
	const name = "POST /api/otp/verify"
	if !r.wants(name) {
		return nil
	}
	if err := g.setReceipts(ctx, false); err != nil {
		return err
	}
	bodies, err := g.issue(ctx, 0, codes)
	if err != nil {
		return err
	}
	auth := "Authorization: Bearer " + g.Accounts.Unlimited.LiveKey
	each := len(bodies) / turns / r.o.conns
	bare, own, took := &result{}, &result{}, time.Duration(0)
	for turn := range turns {
		mine := bodies[turn*each*r.o.conns:]
		res, err := load(ctx, r.bareAddress, r.o.conns, r.o.seconds/turns, func(conn, n int, b []byte) []byte {
			return request(b, "POST", "/", mine[n%each*r.o.conns+conn], auth)
		})
		if err != nil {
			return err
		}
		bare.add(res)
		before := g.cpu()
		res, err = load(ctx, host(g.BaseURL), r.o.conns, 0, func(conn, n int, b []byte) []byte {
			if n == each {
				return nil
			}
			return request(b, "POST", "/api/otp/verify", mine[n*r.o.conns+conn], auth)
		})
		if err != nil {
			return err
		}
		own.add(res)
		took += g.cpu() - before
	}
	r.rate("bare net/http JSON handler", bare, 0, "")
	r.rate(name, own, bare.rate(), "of bare handler, ≥ 0.40")
	r.line("  processor time a verification", fmt.Sprintf("%d µs", took.Microseconds()/own.count), "", "no target")
	return g.setReceipts(ctx, true)
}

// issue sends n codes to as many virtual phones, starting at a number, and returns the requests that verify them.
func (g *griot) issue(ctx context.Context, from, n int) ([][]byte, error) {
	out := make([][]byte, n)
	errs := make([]error, n)
	var wg sync.WaitGroup
	slots := make(chan struct{}, 32)
	for i := range n {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			out[i], errs[i] = g.code(ctx, fmt.Sprintf("2237%07d", from+i))
		})
	}
	wg.Wait()
	return out, errors.Join(errs...)
}

// code sends a code, reads it on the phone, and returns the request that verifies it.
func (g *griot) code(ctx context.Context, number string) ([]byte, error) {
	var challenge struct{ ChallengeID string }
	if err := g.api(ctx, http.MethodPost, "/api/otp/send", `{"channel":"sms","to":"`+number+`"}`, &challenge); err != nil {
		return nil, err
	}
	var phone struct{ Messages []struct{ Text string } }
	if err := g.api(ctx, http.MethodGet, "/dev/phones/"+number+"/messages", "", &phone); err != nil {
		return nil, err
	}
	if len(phone.Messages) == 0 {
		return nil, errors.New("a code did not arrive")
	}
	code, _, _ := strings.Cut(phone.Messages[len(phone.Messages)-1].Text, " ")
	return fmt.Appendf(nil, `{"challengeId":%q,"code":%q}`, challenge.ChallengeID, code), nil
}

// api calls the messaging API as the account without a quota.
func (g *griot) api(ctx context.Context, method, path, body string, out any) error {
	req, err := http.NewRequestWithContext(ctx, method, g.BaseURL+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+g.Accounts.Unlimited.LiveKey)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := noRedirects.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode >= http.StatusBadRequest {
		return fmt.Errorf("%s %s: %s %.200s", method, path, res.Status, b)
	}
	return json.Unmarshal(b, out)
}
