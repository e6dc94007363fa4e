package operator

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"example.com/griot/internal/clock"
	"example.com/griot/internal/doctor"
	"example.com/griot/web"
)

const (
	checksFresh = time.Minute     // a report of this age is replaced when the page is opened
	checksWait  = 3 * time.Second // time that the page waits for a report
)

// checks runs the checks of the deployment, one run at a time, and keeps the last report.
type checks struct {
	run func(ctx context.Context) doctor.Report // nil: there are no checks
	now clock.Now

	mu      sync.Mutex
	last    doctor.Report
	at      time.Time     // start of the run of last; zero: there is none
	stale   bool          // something has changed since the start of that run
	running chan struct{} // closed when the current run ends; nil: none runs
}

// forget makes the next page run the checks again, even if the last report is fresh.
func (c *checks) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stale = true
}

// report returns the last report and its time. If it isn't fresh, report starts a run and waits for it, at most for
// checksWait. A run that takes longer continues, and running is true.
func (c *checks) report(ctx context.Context) (last doctor.Report, at time.Time, running bool) {
	wait := c.start(ctx)
	if wait != nil {
		timeout := time.NewTimer(checksWait)
		defer timeout.Stop()
		select {
		case <-wait:
		case <-timeout.C:
		case <-ctx.Done():
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.last, c.at, c.running != nil
}

// start starts a run unless one runs or the last report is fresh. It returns nil if there is nothing to wait for.
func (c *checks) start(ctx context.Context) (ended chan struct{}) {
	now := c.now()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running != nil || !c.stale && !c.at.IsZero() && now.Sub(c.at).Abs() < checksFresh {
		return c.running
	}
	ended = make(chan struct{})
	c.running, c.stale = ended, false
	go func() {
		report := c.run(context.WithoutCancel(ctx)) // other pages need the result, too
		c.mu.Lock()
		defer c.mu.Unlock()
		c.last, c.at, c.running = report, now, nil
		close(ended)
	}()
	return ended
}

// findings returns the result of the checks for the page; nil if this process runs none.
func (v *visit) findings() *web.OperatorChecks {
	if v.pages.checks.run == nil {
		return nil
	}
	report, at, running := v.pages.checks.report(v.r.Context())
	page := &web.OperatorChecks{At: at, Running: running}
	ranks := []doctor.Status{doctor.Failed, doctor.Warning, doctor.Unknown, doctor.OK}
	all := slices.Clone(report.Findings) // other pages read it, too
	slices.SortStableFunc(all, func(a, b doctor.Finding) int {
		return cmp.Compare(slices.Index(ranks, a.Status), slices.Index(ranks, b.Status))
	})
	for i := range all {
		f := &all[i]
		shown := v.finding(f)
		if f.Status == doctor.OK {
			page.Passed = append(page.Passed, shown)
		} else {
			page.Problems = append(page.Problems, shown)
		}
	}
	return page
}

// finding returns one line of a check with a link to the page where it can be fixed, or else to the documentation.
func (v *visit) finding(f *doctor.Finding) web.OperatorFinding {
	out := web.OperatorFinding{
		State: map[doctor.Status]web.Badge{
			doctor.OK:      {Text: v.lang.T("operator.checks.ok"), Tone: web.Good},
			doctor.Warning: {Text: v.lang.T("operator.checks.warning"), Tone: web.Warn},
			doctor.Failed:  {Text: v.lang.T("operator.checks.failed"), Tone: web.Bad},
			doctor.Unknown: {Text: v.lang.T("operator.checks.unknown"), Tone: web.Info},
		}[f.Status],
		Name: strings.TrimSpace(f.Check + " " + f.Subject), Text: capitalized(f.Text), Hint: f.Hint,
	}
	if program, _, _ := strings.Cut(f.Hint, " "); f.Hint != "" && !slices.Contains([]string{"chmod", "chown", "griot"}, program) { // otherwise, it is a command
		out.Hint = capitalized(f.Hint) + "."
	}
	switch {
	case f.Page != "":
		out.URL, out.Action = Home+"/"+f.Page, v.lang.T("operator.checks.page")
	case v.pages.o.Docs != "":
		out.URL, out.Action = v.pages.o.Docs+"/"+cmp.Or(checkDocs[f.Check], "operating/doctor"), v.lang.T("operator.checks.docs")
	}
	return out
}

// checkDocs contains the pages of the documentation that explain how to fix a finding, by check. The others are on the
// page of the doctor.
var checkDocs = map[string]string{
	"configuration": "config", "permissions": "operating/security", "database": "operating/configure", "schema": "operating/upgrade", "durability": "operating/configure",
	"disk": "operating/retention", "master-key": "operating/master-key", "receivers": "operating/login-number", "mail": "operating/configure",
	"certificate": "operating/proxies", "tls": "operating/proxies", "proxies": "operating/proxies",
}
