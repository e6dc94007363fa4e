package main

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/griot/cmd/griot/console"
	"example.com/griot/internal/clock"
	messagingadmin "example.com/griot/messaging/admin"
)

const (
	followEvery = time.Second
	// followOverlap is how far back each look goes again: events are ordered by when their change began, and one that
	// took longer to commit appears behind others.
	followOverlap = 30 * time.Second
	followPage    = 1000
)

func adminAudit(o *adminOptions) *cobra.Command {
	in := messagingadmin.AuditInput{}
	follow := false
	c := &cobra.Command{
		Use: "audit [--account ACCOUNT] [--action ACTION]", Short: "Show who changed what in the messaging service, newest first", Args: cobra.NoArgs,
		Long: "Show who changed what in the messaging service, newest first. With --follow the latest events come oldest first, and then each new one until the command is interrupted; with --json, each on a line of its own.",
		RunE: func(c *cobra.Command, _ []string) error {
			if follow {
				return followAudit(c, o, in)
			}
			return runVerb(c, o, "audit.list", in, func(w io.Writer, p messagingadmin.AuditPage) {
				console.Row(w, "AT", "ACCOUNT", "ACTOR", "ACTION", "TARGET", "DETAILS", "ADDRESS")
				for i := range p.Events {
					auditRow(w, &p.Events[i])
				}
			})
		},
	}
	f := c.Flags()
	f.StringVar(&in.Account, "account", "", "whose events: an id or its owner's address; without it, those of all accounts and of the deployment")
	f.StringVar(&in.Action, "action", "", "one action, or how several begin: key.created, key.")
	f.IntVar(&in.Limit, "limit", defaultEvents, "how many")
	f.BoolVar(&follow, "follow", false, "go on with what happens from now on")
	return c
}

func auditRow(w io.Writer, e *messagingadmin.AuditEvent) {
	actor := e.Actor
	if who := strings.TrimSpace(e.ActorEmail + " " + e.ActorID); who != "" {
		actor += " " + who
	}
	var details []string
	for _, name := range slices.Sorted(maps.Keys(e.Details)) {
		details = append(details, name+"="+e.Details[name])
	}
	console.Row(w, e.At, e.AccountID, actor, e.Action, e.Target, strings.Join(details, " "), e.Address)
}

// followAudit writes the latest events and then each new one, until the command is interrupted.
func followAudit(c *cobra.Command, o *adminOptions, in messagingadmin.AuditInput) error {
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

// auditSince reads the events since a time, newest first; the first time only the latest.
func auditSince(ctx context.Context, o *adminOptions, in messagingadmin.AuditInput, first bool) (events []messagingadmin.AuditEvent, err error) {
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
		var page messagingadmin.AuditPage
		if err := json.Unmarshal(raw, &page); err != nil {
			return nil, err
		}
		events = append(events, page.Events...)
		if in.Before = page.Next; first || page.Next == "" {
			return events, nil
		}
	}
}

func writeAudit(w io.Writer, o *adminOptions, e *messagingadmin.AuditEvent) error {
	if !o.json {
		return console.Columns(w, func(w io.Writer) { auditRow(w, e) })
	}
	line := json.NewEncoder(w)
	line.SetEscapeHTML(false)
	return line.Encode(e)
}
