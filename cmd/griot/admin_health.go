package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	messagingadmin "example.com/griot/messaging/admin"
)

func adminHealth(o *adminOptions) *cobra.Command {
	return &cobra.Command{
		Use: "health", Short: "Show how the deployment does: database, queues, nodes", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return runVerb(c, o, "health.show", messagingadmin.Nothing{}, showHealth)
		},
	}
}

func showHealth(w io.Writer, h messagingadmin.Health) {
	row(w, "version", h.Version)
	row(w, "time", h.Now)
	row(w, "running since", optionalTime(h.StartedAt))
	row(w, "database", h.Database.Engine+" "+h.Database.Version)
	row(w, "schema", h.Database.Schema)
	row(w, "size", fmt.Sprint(h.Database.Size+h.Database.LogSize, " bytes"))
	if free := h.Database.FreeDisk; free != nil {
		row(w, "free disk", fmt.Sprint(*free, " bytes"))
	}
	row(w, "database's clock", (time.Duration(h.Database.AheadMs)*time.Millisecond).String()+" ahead")
	showSending(w, h.Sending)
	row(w, "QUEUE", "READY", "DUE", "LATER", "OLDEST")
	for _, q := range h.Queues {
		row(w, q.Channel, q.Ready, q.Due, q.Later, optionalTime(q.OldestSince))
	}
	for _, n := range h.Nodes {
		var senders []string
		for _, s := range n.Senders {
			senders = append(senders, s.Channel+" "+s.Address)
		}
		row(w, "node", n.ID, map[bool]string{true: "alive", false: "gone"}[n.Alive], strings.Join(senders, ", "))
	}
}
