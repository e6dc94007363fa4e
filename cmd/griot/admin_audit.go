package main

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"example.com/griot/cmd/griot/console"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/verb"
	messagingverbs "example.com/griot/messaging/verbs"
)

const (
	followEvery = time.Second
	// followOverlap is the overlap between a poll and the previous one. Events are ordered by the start of their
	// change, so an event whose commit took longer appears after others.
	followOverlap = 30 * time.Second
	followPage    = 1000
)

// followsAudit adds --follow.
func followsAudit(o *adminOptions, m *verbCommand) {
	follow, run := m.Flags().Bool("follow", false, "continue with new events until interrupted"), m.RunE
	m.RunE = func(c *cobra.Command, args []string) error {
		if !*follow {
			return run(c, args)
		}
		in := messagingverbs.AuditInput{}
		for _, read := range m.given {
			if err := read(); err != nil {
				return err
			}
		}
		if b, err := json.Marshal(m.in); err != nil || json.Unmarshal(b, &in) != nil {
			return err
		}
		return followAudit(c, o, in)
	}
}

// followAudit writes the latest events and then each new one, until the command is interrupted.
func followAudit(c *cobra.Command, o *adminOptions, in messagingverbs.AuditInput) error {
	seen := map[string]time.Time{}
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	for first := true; ; first = false {
		events, err := auditSince(c.Context(), o, in, first)
		switch {
		case c.Context().Err() != nil:
			return nil
		case err != nil:
			return oneLine(err)
		}
		slices.Reverse(events)
		for i := range events {
			if e := &events[i]; seen[e.ID].IsZero() {
				seen[e.ID] = e.At
				if err := writeAudit(c.OutOrStdout(), o, e); err != nil {
					return err
				}
			}
		}
		in.Since = clock.System().Add(-followOverlap)
		maps.DeleteFunc(seen, func(_ string, at time.Time) bool { return at.Before(in.Since) })
		select {
		case <-c.Context().Done():
			return nil
		case <-tick.C:
		}
	}
}

// auditSince reads the events since a time, newest first. The first call reads only the latest ones.
func auditSince(ctx context.Context, o *adminOptions, in messagingverbs.AuditInput, first bool) (events []messagingverbs.AuditEvent, err error) {
	if !first {
		in.Limit = followPage
	}
	for {
		body, err := json.Marshal(in)
		if err != nil {
			return nil, err
		}
		raw, err := o.callServer(ctx, "audit.list", body)
		if err != nil {
			return nil, err
		}
		var page messagingverbs.AuditPage
		if err := json.Unmarshal(raw, &page); err != nil {
			return nil, err
		}
		events = append(events, page.Events...)
		if in.Before = page.Next; first || page.Next == "" {
			return events, nil
		}
	}
}

func writeAudit(w io.Writer, o *adminOptions, e *messagingverbs.AuditEvent) error {
	if !o.json {
		return console.Columns(w, func(w io.Writer) { console.Row(w, verb.Tables([]messagingverbs.AuditEvent{*e})[0][1]...) })
	}
	line := json.NewEncoder(w)
	line.SetEscapeHTML(false)
	return line.Encode(e)
}
