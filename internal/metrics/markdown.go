package metrics

import (
	"strings"
	"time"
)

// Markdown returns the table of docs/operating/metrics.md.
func Markdown() string {
	var b strings.Builder
	b.WriteString(`<!-- Made by "make generate" from internal/metrics. -->

# Metrics

` + "`/metrics`" + ` of [the probe listener](../config.md) and of the internal one has them in Prometheus' text format. A counter is of this process and begins with 0 at its start; what is "of the whole
deployment" is the same on each node: take ` + "`max`" + ` over the nodes, not ` + "`sum`" + `. What the database is asked for is measured at most every five seconds, however often somebody scrapes, and each scrape is answered
by lookups in indexes. No label has a number, an id, an address or the name of an account: gateways and routes have names that you or this program chose.

Beside these there are the standard ` + "`go_*`" + ` and ` + "`process_*`" + ` of Prometheus' client: memory, goroutines, collections, processor time, open files.

| metric | kind | labels | |
|---|---|---|---|
`)
	for _, d := range New(Options{Version: "dev", Now: func() time.Time { return time.Time{} }}).Described() {
		labels := ""
		if len(d.Labels) > 0 {
			labels = "`" + strings.Join(d.Labels, "`, `") + "`"
		}
		b.WriteString("| `" + d.Name + "` | " + d.Kind + " | " + labels + " | " + d.Help + " |\n")
	}
	return b.String()
}
