package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"
)

// report prints the figures. It also stores them for the JSON file and for comparisons.
type report struct {
	o           *options
	out         io.Writer
	bareAddress string
	bareServer  *bareServer
	signs       float64
	kept        kept
}

// kept is the content of the JSON file.
type kept struct {
	At      time.Time   `json:"at"`
	Cores   int         `json:"cores"`
	Seconds float64     `json:"seconds"`
	Rounds  int         `json:"rounds"`
	Sends   []*scenario `json:"sends"`
	Turns   []*turn     `json:"turns,omitempty"` // with -against
	Figures []figure    `json:"figures"`
}

// figure is a row of the table.
type figure struct {
	Name     string `json:"name"`
	Measured string `json:"measured"`
	Ratio    string `json:"ratio"`
	Target   string `json:"target"`
}

func newReport(o *options, out io.Writer) *report {
	r := &report{o: o, out: out, kept: kept{At: time.Now().UTC(), Cores: runtime.NumCPU(), Seconds: o.seconds.Seconds(), Rounds: o.rounds}}
	r.print("figure", "measured", "ratio", "target")
	_, _ = fmt.Fprintln(out, strings.Repeat("-", 110))
	return r
}

func (r *report) print(name, value, ratio, target string) {
	_, _ = fmt.Fprintf(r.out, "%-44s %12s %7s   %s\n", name, value, ratio, target)
}

func (r *report) line(name, value, ratio, target string) {
	r.print(name, value, ratio, target)
	r.kept.Figures = append(r.kept.Figures, figure{name, value, ratio, target})
}

func (r *report) wants(name string) bool { return strings.Contains(name, r.o.only) }

func (r *report) rate(name string, res *result, base float64, target string) {
	ratio := ""
	if base > 0 {
		ratio = fmt.Sprintf("%.2f", res.rate()/base)
	}
	r.line(name, fmt.Sprintf("%.0f/s", res.rate()), ratio, target+fmt.Sprintf("  [p50 %s p99 %s]", ms(res.p(0.5)), ms(res.p(0.99))))
}

// write writes the JSON file if a path was given.
func (r *report) write() error {
	if r.o.json == "" {
		return nil
	}
	b, err := json.MarshalIndent(&r.kept, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(r.o.json, append(b, '\n'), 0o600)
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", millis(d)) }

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
