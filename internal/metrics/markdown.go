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

Griot serves its metrics at ` + "`/metrics`" + ` of the [probe listener](../config.md) and of the internal listener, in the text format of Prometheus. For alerts and a dashboard, see [monitoring](monitoring.md).

- **Scope:** a counter belongs to one process and starts at 0 when the process starts. Metrics "of the whole deployment" have the same value on each node, so use ` + "`max`" + ` over the nodes, not ` + "`sum`" + `.
- **Cost:** Griot queries the database at most every five seconds, no matter how often it is scraped. It answers each scrape with lookups in indexes.
- **Labels:** no label contains a number, an ID, an address, or the name of an account. You choose the names of gateways, and Griot's code defines the routes.

Griot also exports the standard ` + "`go_*`" + ` and ` + "`process_*`" + ` metrics of Prometheus' client: memory, goroutines, garbage collections, processor time, and open files.

| Metric | Kind | Labels | Meaning |
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
