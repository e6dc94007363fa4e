package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/griot/cmd/griot/console"
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
	console.Row(w, "version", h.Version)
	console.Row(w, "time", h.Now)
	console.Row(w, "running since", optionalTime(h.StartedAt))
	console.Row(w, "database", h.Database.Engine+" "+h.Database.Version)
	console.Row(w, "schema", h.Database.Schema)
	console.Row(w, "size", fmt.Sprint(h.Database.Size+h.Database.LogSize, " bytes"))
	if free := h.Database.FreeDisk; free != nil {
		console.Row(w, "free disk", fmt.Sprint(*free, " bytes"))
	}
	console.Row(w, "database's clock", (time.Duration(h.Database.AheadMs)*time.Millisecond).String()+" ahead")
	showSending(w, h.Sending)
	console.Row(w, "QUEUE", "READY", "DUE", "LATER", "OLDEST")
	for _, q := range h.Queues {
		console.Row(w, q.Channel, q.Ready, q.Due, q.Later, optionalTime(q.OldestSince))
	}
	for _, n := range h.Nodes {
		var senders []string
		for _, s := range n.Senders {
			senders = append(senders, s.Channel+" "+s.Address)
		}
		console.Row(w, "node", n.ID, map[bool]string{true: "alive", false: "gone"}[n.Alive], strings.Join(senders, ", "))
	}
}
