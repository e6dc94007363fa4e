package send

import (
	"context"
	"time"

	"griot/internal/db"
	"griot/messaging/message"
	"griot/messaging/quota"
)

// What is swept, how often, and in what portions.
const (
	sweepEvery  = time.Hour
	sweepSize   = 1000
	keepRefs    = 8 * 24 * time.Hour // a receipt that comes later is news to nobody
	keepCounted = 2                  // days of counts, of which only today's decide anything
)

// sweep takes away what decides nothing any more, in portions that hold nobody up.
func (e *Engine) sweep(ctx context.Context) error {
	e.traffic.sweep()
	now := e.o.Now()
	for _, portion := range []func(*db.Tx) (int64, error){
		func(tx *db.Tx) (int64, error) {
			return message.ForgetProviderRefs(tx, now.Add(-keepRefs), sweepSize)
		},
		func(tx *db.Tx) (int64, error) {
			return quota.ForgetRecipients(tx, quota.Day(now)-keepCounted, sweepSize)
		},
		func(tx *db.Tx) (int64, error) {
			return quota.ForgetSenders(tx, quota.Day(now)-keepCounted, sweepSize)
		},
	} {
		for n := int64(sweepSize); n == sweepSize; {
			if err := e.o.DB.Write(ctx, func(tx *db.Tx) (err error) {
				n, err = portion(tx)
				return err
			}); err != nil {
				return err
			}
		}
	}
	return nil
}
