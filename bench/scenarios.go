package main

import (
	"context"
	"fmt"
	"strconv"
)

// send: durable accept over the whole path.
func (r *report) send(ctx context.Context, g *griot) error {
	auth := "Authorization: Bearer " + g.Accounts.Unlimited.LiveKey
	body := []byte(`{"to":"+22376000001","channel":"sms","message":"Votre commande 2041 est en route."}`)
	const target = "of inserts, ≥ 0.30 and ≥ 15,000/s"
	if r.wants("send") {
		if err := g.put(ctx, "/dev/phones-options", `{"receipts":false}`); err != nil {
			return err
		}
		res, err := load(ctx, host(g.BaseURL), r.o.conns, r.o.seconds, func(_, _ int, b []byte) []byte { return request(b, "POST", "/api/send", body, auth) })
		if err != nil {
			return err
		}
		r.rate("POST /api/send", res, r.inserts, target)
		r.line("  memory", fmt.Sprintf("%.0f MB", g.memory()), "", "< 80 MB")
		res, err = load(ctx, host(g.BaseURL), r.o.conns, r.o.seconds, func(conn, turn int, b []byte) []byte {
			return request(b, "POST", "/api/send", body, auth, "Idempotency-Key: "+strconv.Itoa(conn)+"-"+strconv.Itoa(turn))
		})
		if err != nil {
			return err
		}
		r.rate("  with an idempotency key", res, r.inserts, "≥ 11,000/s")
		if err := g.put(ctx, "/dev/phones-options", `{"receipts":true}`); err != nil {
			return err
		}
		res, err = load(ctx, host(g.BaseURL), r.o.conns, r.o.seconds, func(_, _ int, b []byte) []byte { return request(b, "POST", "/api/send", body, auth) })
		if err != nil {
			return err
		}
		r.rate("  with a receipt each", res, r.inserts, "no target")
	}
	return nil
}
