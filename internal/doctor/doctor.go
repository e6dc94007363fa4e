package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// Status is what a check has found.
type Status string

// The statuses.
const (
	OK      Status = "ok"
	Warning Status = "warning" // it works, and will not always
	Failed  Status = "failed"
	Unknown Status = "unknown" // it could not be looked at
)

// Finding is one line of a check.
type Finding struct {
	Check   string `json:"check"`             // the name of the check
	Subject string `json:"subject,omitempty"` // what was looked at, where a check looks at several things
	Status  Status `json:"status"`
	Text    string `json:"text"`
	Hint    string `json:"hint,omitempty"` // how to repair it
}

// About returns the finding with a subject.
func (f Finding) About(subject string) Finding {
	f.Subject = subject
	return f
}

// Good is a finding in which nothing is wrong.
func Good(format string, args ...any) Finding {
	return Finding{Status: OK, Text: fmt.Sprintf(format, args...)}
}

// Bad is a finding with a way to repair it.
func Bad(status Status, hint, format string, args ...any) Finding {
	return Finding{Status: status, Hint: hint, Text: fmt.Sprintf(format, args...)}
}

// Check looks at one part of a deployment.
type Check struct {
	Name  string
	About string // what it looks at, for the documentation
	Run   func(ctx context.Context) []Finding
}

// Report is what all checks have found.
type Report struct {
	OK       bool      `json:"ok"` // nothing has failed
	Findings []Finding `json:"findings"`
}

// Run runs the checks side by side. One that does not end in time is unknown, and is not waited for.
func Run(ctx context.Context, checks []Check, timeout time.Duration) Report {
	found := make([][]Finding, len(checks))
	var all sync.WaitGroup
	for i, c := range checks {
		all.Go(func() { found[i] = c.within(ctx, timeout) })
	}
	all.Wait()
	report := Report{OK: true, Findings: []Finding{}}
	for i, c := range checks {
		for _, f := range found[i] {
			f.Check, f.Text, f.Hint = c.Name, oneLine(f.Text), oneLine(f.Hint)
			report.Findings = append(report.Findings, f)
			report.OK = report.OK && f.Status != Failed
		}
	}
	return report
}

// within runs a check until its time is over.
func (c *Check) within(ctx context.Context, timeout time.Duration) []Finding {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	ended := make(chan []Finding, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil { // a driver's or a library's bug is no reason to say nothing of the rest
				ended <- []Finding{Bad(Unknown, "", "the check has failed itself: %v", p)}
			}
		}()
		ended <- c.Run(ctx)
	}()
	select {
	case f := <-ended:
		return f
	case <-ctx.Done():
	}
	select { // what ended with ctx says more
	case f := <-ended:
		return f
	case <-time.After(grace):
		return []Finding{Bad(Unknown, "", "it did not end within %s", timeout)}
	}
}

// grace is what a check has after its time to say how far it came.
const grace = time.Second

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// marks stand before the lines of a report.
var marks = map[Status]string{OK: "ok     ", Warning: "warning", Failed: "FAILED ", Unknown: "unknown"}

// Write writes the report for people: a line for each finding, one below it for how to repair it, and the counts.
func (r Report) Write(w io.Writer) error {
	var b strings.Builder
	counts := map[Status]int{}
	for _, f := range r.Findings {
		counts[f.Status]++
		name := f.Check
		if f.Subject != "" {
			name += " " + f.Subject
		}
		fmt.Fprintf(&b, "%s  %s: %s\n", marks[f.Status], name, f.Text)
		if f.Hint != "" {
			fmt.Fprintf(&b, "         -> %s\n", f.Hint)
		}
	}
	var ends []string
	for _, s := range []Status{Failed, Warning, Unknown, OK} {
		if n := counts[s]; n > 0 {
			ends = append(ends, fmt.Sprintf("%d %s", n, s))
		}
	}
	fmt.Fprintf(&b, "\n%s\n", strings.Join(ends, ", "))
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteJSON writes the report as one JSON object.
func (r Report) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}
