package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	griot "example.com/griot/client"
	"example.com/griot/cmd/griot/batch"
	"example.com/griot/cmd/griot/console"
)

// maxPreviews is the maximum number of row groups for which the service previews a message.
const maxPreviews = 8

// costs is the service's preview of a plan: the day's quota, and the routes of the longest row of each group.
type costs struct {
	Sandbox bool
	Usage   griot.Usage
	Routes  []string // of the previewed groups
}

// costs requests the previews from the service. A problem with a single recipient doesn't stop the batch.
func (o *batchOptions) costs(ctx context.Context, plan *batch.Plan) (*costs, error) {
	api, err := o.client() // has a shorter timeout than a batch
	if err != nil {
		return nil, err
	}
	key, err := api.DescribeKey(ctx)
	if err != nil {
		return nil, o.failed(err)
	}
	out := &costs{Sandbox: o.m.Base.Sandbox || key.Kind == "test", Usage: key.Usage}
	for _, g := range plan.Groups[:min(len(plan.Groups), maxPreviews)] {
		p, err := api.Preview(ctx, g.Example)
		e, answered := errors.AsType[*griot.Error](err)
		switch {
		case answered && (e.Code == "recipient_opted_out" || e.Code == "marketing_stopped" || e.Code == "recipient_limit_reached" || e.Code == "quota_exceeded"):
			out.Routes = append(out.Routes, fmt.Sprintf("unknown: line %d: %s", g.Line, console.Plain(e.Message)))
			continue
		case answered && e.Field != "":
			return nil, fmt.Errorf("line %d: %w", g.Line, refusal(e))
		case err != nil:
			return nil, o.failed(err)
		}
		g.Segments = p.Segments // the service's count, also for a preset
		out.Routes = append(out.Routes, console.Plain(routeOf(p)))
	}
	return out, nil
}

func routeOf(p *griot.Preview) string {
	var all []string
	for _, by := range p.Route {
		all = append(all, fmt.Sprintf("%s from %s", by.Channel, by.From))
	}
	return strings.Join(all, ", then ")
}

// batchPlan is a plan as JSON.
type batchPlan struct {
	Batch        string        `json:"batch"`
	File         string        `json:"file"`
	Encoding     string        `json:"encoding"`
	Sample       *batch.Sample `json:"sample,omitempty"`
	Rows         int           `json:"rows"`
	Repeated     int           `json:"repeatedRecipients"`
	Same         int           `json:"repeatedMessages"`
	SMS          int           `json:"smsParts"`
	Sandbox      bool          `json:"sandbox"`
	MessagesUsed int64         `json:"messagesUsed"`
	Limit        *int64        `json:"limit"`
	Remaining    *int64        `json:"remaining"`
	ScheduledAt  time.Time     `json:"scheduledAt,omitzero"` // with the offset of this machine's zone
	ExpiresAt    time.Time     `json:"expiresAt,omitzero"`
	Kinds        []batchKind   `json:"kinds"`
}

type batchKind struct {
	Channel  griot.Channel `json:"channel"`
	Encoding string        `json:"encoding,omitempty"`
	SMS      int           `json:"smsParts"`
	Rows     int           `json:"rows"`
	Line     int           `json:"longestLine"`
	Route    string        `json:"route,omitempty"`
}

func (o *batchOptions) showPlan(w io.Writer, path string, plan *batch.Plan, costs *costs) error {
	if o.json {
		out := batchPlan{Batch: plan.Name, File: path, Encoding: plan.Encoding, Sample: sampleOf(plan), Rows: plan.Rows, Repeated: plan.Repeated, Same: plan.Same, SMS: plan.Segments(), Sandbox: costs.Sandbox, MessagesUsed: costs.Usage.MessagesUsed, Limit: costs.Usage.Limit, Remaining: costs.Usage.Remaining, ScheduledAt: localOrZero(o.m.Base.ScheduledAt), ExpiresAt: localOrZero(o.m.Base.ExpiresAt)}
		for i, g := range plan.Groups {
			kind := batchKind{Channel: g.Channel, Encoding: string(g.Encoding), SMS: g.Segments, Rows: g.Rows, Line: g.Line}
			if i < len(costs.Routes) {
				kind.Route = costs.Routes[i]
			}
			out.Kinds = append(out.Kinds, kind)
		}
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(out)
	}
	return console.Columns(w, func(w io.Writer) {
		row := func(name, format string, args ...any) {
			console.Row(w, name, console.Plain(fmt.Sprintf(format, args...)))
		}
		row("file", "%s, %s", path, rows(plan.Rows))
		if plan.Encoding != batch.UTF8 {
			row("encoding", "%s, not UTF-8: check the special characters", plan.Encoding)
		}
		if s := sampleOf(plan); s != nil {
			row("reads", "line %d, %s: %s", s.Line, s.Column, console.Cut(console.Plain(s.Text), 60))
		}
		if plan.Repeated > 0 {
			row("repeated", "%s with the recipient of an earlier row", rows(plan.Repeated))
		}
		switch {
		case plan.Same > 0 && plan.Once:
			row("same", "%s also with the same message, which is sent once", rows(plan.Same))
		case plan.Same > 0:
			row("same", "%s also with the same message, which is sent again", rows(plan.Same))
		}
		row("batch", "%s", plan.Name)
		row("from", "%s at %s", o.at.from, o.at.url)
		if text := plan.First.Text; text != "" && !plan.First.Sensitive {
			row("first", "%s", console.Cut(console.Plain(text), 60))
		}
		times(w, &o.m.Base)
		for i, route := range costs.Routes {
			if i == 0 || route != costs.Routes[i-1] {
				row("route", "%s", route)
			}
		}
		for _, g := range plan.Groups {
			if g.Segments > 0 {
				row("as SMS", "%s of %d (%s), the longest in line %d", rows(g.Rows), g.Segments, encodingOf(g), g.Line)
			}
		}
		if n := plan.Segments(); n > 0 {
			row("SMS", "%d in total, for messages sent as SMS", n)
		}
		row("quota", "%s, and %d for this batch", usedOf(&costs.Usage), plan.Rows)
		if left := costs.Usage.Remaining; left != nil && int64(plan.Rows) > *left {
			row("left", "%d today: run the same command tomorrow to send the rest", *left)
		}
		if costs.Sandbox {
			row("sandbox", "messages would only be simulated")
		}
	})
}

// localOrZero returns a time with the offset of this machine's zone. A zero time stays zero.
func localOrZero(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.Local()
}

// sampleOf returns the plan's sample, unless the messages are sensitive.
func sampleOf(plan *batch.Plan) *batch.Sample {
	if plan.First.Sensitive {
		return nil
	}
	return plan.Sample
}

func encodingOf(g *batch.Group) string {
	if g.Encoding == "" {
		return "preset"
	}
	return string(g.Encoding)
}

// batchResult is the result of a batch, as JSON.
type batchResult struct {
	Batch       string `json:"batch"`
	Encoding    string `json:"encoding"` // of the file
	Rows        int    `json:"rows"`
	Accepted    int    `json:"accepted"`
	AlreadySent int    `json:"alreadySent"`
	Failed      int    `json:"failed"`
	Remaining   int    `json:"remaining"`
	Report      string `json:"report,omitempty"`
	Stopped     string `json:"stopped,omitempty"`
}

func (o *batchOptions) showResult(w io.Writer, plan *batch.Plan, res batch.Result, report *batch.Report, stopped error) error {
	out := batchResult{Batch: plan.Name, Encoding: plan.Encoding, Rows: res.Rows, Accepted: res.Accepted, AlreadySent: res.Repeated, Failed: res.Failed, Remaining: res.Rows - res.Done()}
	if res.Failed > 0 {
		out.Report = report.Path
	}
	if stop, ok := errors.AsType[*batch.StoppedError](stopped); ok {
		out.Stopped = stop.Code
	}
	if o.json {
		return json.NewEncoder(w).Encode(out)
	}
	return console.Columns(w, func(w io.Writer) {
		console.Row(w, "accepted", fmt.Sprintf("%d of %d", out.Accepted, out.Rows))
		if out.AlreadySent > 0 {
			console.Row(w, "earlier", fmt.Sprintf("%d of them, already sent", out.AlreadySent))
		}
		if out.Failed > 0 {
			console.Row(w, "failed", fmt.Sprintf("%d: %s", out.Failed, console.Plain(out.Report)))
		}
		if out.Remaining > 0 {
			console.Row(w, "remaining", out.Remaining)
		}
		console.Row(w, "look", "griot logs --metadata "+batch.NameMetadata+"="+plan.Name+" --status FAILED")
	})
}
