package webhook

import (
	"context"
	"time"

	"example.com/griot/internal/db"
)

// outcome is the result of a claim.
type outcome struct {
	*Claimed
	worker    *endpointWorker
	due       time.Time // of the next attempt; zero if there is none
	failures  int
	delivered time.Time
	failed    time.Time
	attempted bool // false: it was released without an attempt
	at        time.Time
	result    Result
	health    *endpointHealth // nil if there is no change to store
}

const outcomeBatch = 256

// writeOutcomes writes outcomes until their channel is closed. It writes all queued outcomes, up to [outcomeBatch], in
// one transaction. A claim whose outcome can't be written is claimed again after its lease expires.
func (d *Dispatcher) writeOutcomes(ctx context.Context) {
	statements := d.o.Queue.outcomeStatements()
	for first := range d.outcomes {
		outcomes := d.collect(first)
		health := map[string]*endpointHealth{} // by owner: the latest
		for _, o := range outcomes {
			if o.health != nil && o.health.number > o.worker.passedOn {
				health[o.OwnerID], o.worker.passedOn = o.health, o.health.number
			}
		}
		err := d.o.DB.Write(ctx, func(tx *db.Tx) error {
			for owner, h := range health {
				if err := d.o.Queue.saveHealth(tx, owner, d.process, h); err != nil {
					return err
				}
			}
			return statements.write(tx, outcomes)
		})
		if err != nil {
			d.o.Log.Error("writing the outcomes of deliveries", "count", len(outcomes), "err", err)
		}
	}
}

// collect returns the first outcome and the ones queued after it.
func (d *Dispatcher) collect(first *outcome) []*outcome {
	out := []*outcome{first}
	for len(out) < outcomeBatch {
		select {
		case o, ok := <-d.outcomes:
			if !ok {
				return out
			}
			out = append(out, o)
		default:
			return out
		}
	}
	return out
}
