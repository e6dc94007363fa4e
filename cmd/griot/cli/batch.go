package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	griot "example.com/griot/client"
	"example.com/griot/cmd/griot/batch"
	"example.com/griot/cmd/griot/console"
	"example.com/griot/cmd/griot/exit"
)

const (
	shownBadRows = 20
	invalidRow   = "invalid_row"
	maxParallel  = 16
	batchTries   = 10 // of a request without a response, to wait for a service that is restarting
)

// batchOptions are the flags of batch.
type batchOptions struct {
	connection
	messageFlags
	m              batch.Message
	channel        string
	country        string
	vars, metadata []string
	retry          string
	name           string
	report         string
	parallel       int
	dryRun         bool
}

func batchCommand(options *Options) *cobra.Command {
	o := &batchOptions{connection: connection{o: options}}
	c := &cobra.Command{
		Use: "batch FILE --message TEMPLATE [--channel CHANNEL] [flags]", Short: "Send one message per row of a file",
		Long: `Send one message per row of a file. FILE is a CSV file with a header row, or a
file with one JSON object per line (.jsonl). The column "to" contains the
recipients. In the message, {{name}} is replaced by the value of the column
"name". For an empty value, {{name|friend}} becomes "friend". The command checks
all rows before it sends anything. To resume an interrupted run, run the same
command again: no row is sent twice. Failed rows and the reasons are in
FILE.failed.csv, which you can send as a batch.`,
		Example: `  griot batch people.csv --channel sms --message "Bonjour {{name}}, votre commande {{order}} est en route."
  griot batch people.csv --channel sms --message "Bonjour {{name|cher client}}" --dry-run
  griot batch people.csv --country ML --preset order_shipped --var orderId={{order}} --yes
  griot batch people.jsonl --channel email --subject "Order {{order}}" --message - --html-file order.html < order.txt
  griot batch people.failed.csv --channel sms --message "Bonjour {{name}}"`,
		Args: needs(1, "exactly one FILE"),
		RunE: func(c *cobra.Command, args []string) error { return o.run(c, args[0]) },
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"csv", "tsv", "jsonl", "ndjson"}, cobra.ShellCompDirectiveFilterFileExt
		},
	}
	f := c.Flags()
	f.SortFlags = false
	f.StringVar(&o.m.Text, "message", "", "message, with {{column}} for the columns of FILE (-: standard input)")
	channelFlag(c, &o.channel)
	f.BoolVar(&o.dryRun, "dry-run", false, "check the rows and show the costs without sending")
	f.BoolVar(&o.yes, "yes", false, "skip the confirmation")
	countryFlag(c, &o.country)
	f.StringVar(&o.m.To, "to-column", "to", "column with the recipients")
	presetFlag(c, &o.m.Base.Preset, &o.connection)
	f.StringArrayVar(&o.vars, "var", nil, "variable of the preset: NAME=TEMPLATE; repeat the flag for more")
	f.StringVar(&o.m.Subject, "subject", "", "subject of an email, which can contain {{column}}")
	o.define(c)
	senderFlag(c, &o.m.Base.SenderID, &o.connection)
	f.StringVar(&o.name, "name", "", "name of the batch; under one name, a recipient gets the same message once, even if FILE changes")
	f.StringVar(&o.report, "report", "", "file for rows that fail (default: FILE.failed.csv)")
	f.IntVar(&o.parallel, "parallel", 4, "number of simultaneous requests of 100 messages")
	f.StringVar(&o.retry, "retry", "", "retry if the gateway fails; --retry=5 means five attempts in total")
	f.Lookup("retry").NoOptDefVal = "default"
	f.StringArrayVar(&o.metadata, "metadata", nil, "metadata of each message: NAME=TEMPLATE; repeat the flag for more")
	f.BoolVar(&o.m.Base.Sensitive, "sensitive", false, "keep the content out of histories")
	f.BoolVar(&o.m.Base.Sandbox, "sandbox", false, "only simulate the message")
	o.flags(c)
	return c
}

func (o *batchOptions) run(c *cobra.Command, path string) error {
	if err := o.message(c); err != nil {
		return err
	}
	source, err := batch.Open(path)
	if err != nil {
		return exit.Usage("%w", err)
	}
	report, err := batch.NewReport(source, o.report)
	if err != nil {
		return exit.Usage("--report: %w", err)
	}
	plan, err := o.check(c, source, report)
	if err != nil {
		return err
	}
	api, err := o.clientWith(griot.Options{Tries: batchTries})
	if err != nil {
		return err
	}
	costs, err := o.costs(c.Context(), plan)
	if err != nil {
		return err
	}
	if o.dryRun || !o.json {
		if err := o.showPlan(c.OutOrStdout(), path, plan, costs); err != nil || o.dryRun {
			return err
		}
	}
	if err := o.confirmRows(c, plan); err != nil {
		return err
	}
	return o.send(c, api, plan, report, costs.Sandbox)
}

// message fills in the template for each row's message.
func (o *batchOptions) message(c *cobra.Command) (err error) {
	switch {
	case o.parallel < 1 || o.parallel > maxParallel:
		return exit.Usage("--parallel must be 1 to %d", maxParallel)
	case batch.CheckName(o.name) != nil:
		return exit.Usage("--name: %w", batch.CheckName(o.name))
	}
	if o.country != "" {
		region, err := regionOf(o.country)
		if err != nil {
			return err
		}
		o.m.Region = region
	}
	if err := o.read(&o.m.Base); err != nil {
		return err
	}
	o.m.HTML, o.m.Base.HTML = o.m.Base.HTML, ""
	o.m.Base.Channel = griot.Channel(o.channel)
	if o.m.Base.Retry, err = retryOf(o.retry); err != nil {
		return err
	}
	if o.m.Metadata, err = pairs("metadata", o.metadata); err != nil {
		return err
	}
	if o.m.Variables, err = pairs("var", o.vars); err != nil {
		return err
	}
	if o.m.Text == "-" {
		if o.m.Text, err = readText(c.InOrStdin()); err != nil {
			return err
		}
	}
	if o.m.Text == "" && o.m.Base.Preset == "" && o.m.HTML == "" {
		return exit.Usage("the batch has no content: use --message or --preset")
	}
	return nil
}

// check reads all rows. It reports rows that can't be sent: the first ones on standard error, and all of them in the
// report.
func (o *batchOptions) check(c *cobra.Command, source *batch.Source, report *batch.Report) (*batch.Plan, error) {
	plan, err := batch.Check(source, &o.m, o.name, func(bad *batch.RowError) error {
		switch {
		case report.Rows >= shownBadRows: // all of them are in the report
		case o.json:
			_ = json.NewEncoder(c.ErrOrStderr()).Encode(map[string]any{"line": bad.Row.Line, "code": invalidRow, "message": bad.Problem})
		default:
			fmt.Fprintf(c.ErrOrStderr(), "griot: %s, line %d: %s\n", source.Path, bad.Row.Line, console.Plain(bad.Problem))
		}
		return report.Add(bad.Row, invalidRow, bad.Problem, "")
	})
	if closed := report.Close(); err == nil && closed != nil {
		err = fmt.Errorf("the report: %w", closed)
	}
	switch {
	case err != nil:
		return nil, exit.Usage("%w", err)
	case plan.Bad > 0:
		return nil, exit.Usage("%s can't be sent, so nothing was sent; the rows and the reasons are in %s", rows(plan.Bad), report.Path)
	}
	return plan, nil
}

// rows returns a number of rows in words.
func rows(n int) string {
	if n == 1 {
		return "1 row"
	}
	return fmt.Sprintf("%d rows", n)
}

// confirmRows asks on a terminal whether to start. Elsewhere, --yes confirms it.
func (o *batchOptions) confirmRows(c *cobra.Command, plan *batch.Plan) error {
	question := fmt.Sprintf("Send %s?", rows(plan.Rows))
	if note := passed(&o.m.Base); note != "" {
		question = fmt.Sprintf("%s. Send %s now?", note, rows(plan.Rows))
	}
	return o.confirm(c, question, fmt.Sprintf("there is no terminal to confirm sending %s: use --yes", rows(plan.Rows)))
}

// send runs the batch and shows its progress.
func (o *batchOptions) send(c *cobra.Command, api *griot.Client, plan *batch.Plan, report *batch.Report, simulated bool) error {
	if err := report.Clear(); err != nil {
		return fmt.Errorf("the report: %w", err)
	}
	bar := console.NewProgress(c.ErrOrStderr(), plan.Rows, time.Now)
	bar.Show(0, "")
	res, err := batch.Run(c.Context(), plan, batch.Options{API: api, Parallel: o.parallel, Simulated: simulated, Report: report, Progress: func(r batch.Result) {
		note := ""
		if r.Failed > 0 {
			note = fmt.Sprintf("%d failed", r.Failed)
		}
		bar.Show(r.Done(), note)
	}})
	bar.Clear()
	if closed := report.Close(); err == nil && closed != nil {
		err = fmt.Errorf("the report: %w", closed)
	}
	if shown := o.showResult(c.OutOrStdout(), plan, res, report, err); shown != nil {
		return shown
	}
	switch {
	case err != nil:
		return o.stopped(res, err)
	case res.Failed > 0:
		return &exit.Error{Code: exit.CodeFailed, Name: "rows_failed", Err: fmt.Errorf("%s failed: see %s", rows(res.Failed), report.Path)}
	}
	return nil
}

// stopped returns the error of a batch that ended before its last row.
func (o *batchOptions) stopped(res batch.Result, err error) error {
	remaining := fmt.Sprintf("%s of %d remain; run the same command again to continue", rows(res.Rows-res.Done()), res.Rows)
	stop, ok := errors.AsType[*batch.StoppedError](err)
	if !ok {
		return o.failed(err)
	}
	code := 1
	switch stop.Code {
	case "quota_exceeded":
		return &exit.Error{Code: exit.CodePending, Name: stop.Code, Err: fmt.Errorf("the account has used its daily quota: %s, after %s", remaining, console.Time(nextDay(time.Now())))}
	case "interrupted":
		return &exit.Error{Code: exit.CodeInterrupted, Name: stop.Code, Err: fmt.Errorf("interrupted: %s", remaining)}
	case "no_answer":
		if errors.Is(err, context.Canceled) {
			return &exit.Error{Code: exit.CodeInterrupted, Name: "interrupted", Err: fmt.Errorf("interrupted: %s", remaining)}
		}
		err = errors.Unwrap(stop)
		if lost, ok := errors.AsType[*griot.UnansweredError](err); ok {
			err = fmt.Errorf("no response from %s: %w", o.at.url, lost.Err)
		}
	}
	return &exit.Error{Code: code, Name: stop.Code, Err: fmt.Errorf("%w: %s", err, remaining)}
}

// nextDay returns the time at which the day's quota starts again.
func nextDay(now time.Time) time.Time { return now.UTC().Truncate(24 * time.Hour).Add(24 * time.Hour) }
