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

// Status is the result of a check.
type Status string

// The statuses.
const (
	OK      Status = "ok"
	Warning Status = "warning" // it works, but might fail later
	Failed  Status = "failed"
	Unknown Status = "unknown" // it could not be checked
)

// Finding is one line of a check.
type Finding struct {
	Check   string `json:"check"`             // the name of its check
	Subject string `json:"subject,omitempty"` // the checked object, if a check has several
	Status  Status `json:"status"`
	Text    string `json:"text"`
	Hint    string `json:"hint,omitempty"` // the fix
	Page    string `json:"-"`              // path below /operator of the page where an operator can fix it; empty: none
}

// About returns the finding with a subject.
func (f Finding) About(subject string) Finding {
	f.Subject = subject
	return f
}

// At returns the finding with the page where an operator can fix it.
func (f Finding) At(page string) Finding {
	f.Page = page
	return f
}

// Good returns a finding without a problem.
func Good(format string, args ...any) Finding {
	return Finding{Status: OK, Text: fmt.Sprintf(format, args...)}
}

// Bad returns a finding with a fix.
func Bad(status Status, hint, format string, args ...any) Finding {
	return Finding{Status: status, Hint: hint, Text: fmt.Sprintf(format, args...)}
}

// Check checks one part of a deployment.
type Check struct {
	Name  string
	About string // the subject of the check, for the documentation
	Run   func(ctx context.Context) []Finding
}

// Report is the result of all checks.
type Report struct {
	OK       bool      `json:"ok"` // no check has failed
	Findings []Finding `json:"findings"`
}

// Run runs the checks in parallel. A check that doesn't end in time is unknown, and Run doesn't wait for it.
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

// within runs a check with a time limit.
func (c *Check) within(ctx context.Context, timeout time.Duration) []Finding {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	ended := make(chan []Finding, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil { // a bug in a driver or a library must not prevent the other checks
				ended <- []Finding{Bad(Unknown, "", "the check itself failed: %v", p)}
			}
		}()
		ended <- c.Run(ctx)
	}()
	select {
	case f := <-ended:
		return f
	case <-ctx.Done():
	}
	select { // a result that arrives with the end of ctx is more useful
	case f := <-ended:
		return f
	case <-time.After(grace):
		return []Finding{Bad(Unknown, "", "the check didn't end within %s", timeout)}
	}
}

// grace is the additional time for a check to report its progress after its time limit.
const grace = time.Second

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// marks are the prefixes of the lines of a report.
var marks = map[Status]string{OK: "ok     ", Warning: "warning", Failed: "FAILED ", Unknown: "unknown"}

// Write writes the report in a readable format: a line for each finding, a line below it with the fix, and the counts.
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
