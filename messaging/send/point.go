package send

import (
	"context"

	"griot/internal/db"
)

// Points lists where [Options.Point] is called: before and after each transaction,
// and each call of a gateway.
func Points() []string {
	var points []string
	for _, what := range []string{"accept", "batch", "call", "finish", "postpone", "requeue", "advance", "settle", "claim", "receipt", "cancel"} {
		points = append(points, what+".before", what+".after")
	}
	return points
}

func (e *Engine) point(name string) {
	if e.o.Point != nil {
		e.o.Point(name)
	}
}

// transact runs a transaction between its two points.
func (e *Engine) transact(ctx context.Context, what string, fn func(*db.Tx) error) error {
	return e.between(what, func() error { return e.o.DB.Write(ctx, fn) })
}

func (e *Engine) between(what string, write func() error) error {
	e.point(what + ".before")
	err := write()
	if err == nil {
		e.point(what + ".after")
	}
	return err
}
