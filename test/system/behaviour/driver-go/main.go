// The program driver-go runs the cases of test/system/behaviour with the Go client. It reads each case as a line of
// JSON, and writes its result as a line.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	griot "example.com/griot/client"
	"example.com/griot/client/login"
	"example.com/griot/client/webhook"
	"example.com/griot/test/system/behaviour"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	in, out := bufio.NewScanner(os.Stdin), json.NewEncoder(os.Stdout)
	in.Buffer(nil, 16<<20)
	for in.Scan() {
		var c behaviour.Case
		if err := json.Unmarshal(in.Bytes(), &c); err != nil {
			return err
		}
		if err := out.Encode(do(context.Background(), &c)); err != nil {
			return err
		}
	}
	return in.Err()
}

// do runs one case with a new client.
func do(ctx context.Context, c *behaviour.Case) *behaviour.Outcome {
	out := &behaviour.Outcome{Name: c.Name}
	o := griot.Options{
		// On a reused connection, net/http repeats a GET on its own, which would not be counted.
		HTTP:  &http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
		Tries: c.Options.Tries, Timeout: time.Duration(c.Options.TimeoutMs) * time.Millisecond, MaxWait: time.Duration(c.Options.MaxWaitMs) * time.Millisecond,
		Sleep: func(ctx context.Context, d time.Duration) error {
			out.PausesMs = append(out.PausesMs, d.Milliseconds())
			return ctx.Err()
		},
	}
	result, err := call(ctx, o, c)
	if err == nil {
		out.Result, err = json.Marshal(result)
	}
	if err != nil {
		out.Error = failureOf(err)
	}
	return out
}

func call(ctx context.Context, o griot.Options, c *behaviour.Case) (any, error) {
	if fn, ok := logins[c.Call]; ok {
		return fn(ctx, o, c.Args)
	}
	fn, ok := calls[c.Call]
	if !ok {
		return nil, fmt.Errorf("this driver has no call %s", c.Call)
	}
	client, err := griot.New(os.Getenv("GRIOT_API_URL"), os.Getenv("GRIOT_API_KEY"), o)
	if err != nil {
		return nil, err
	}
	return fn(ctx, client, c.Args)
}

// failureOf converts an error to the fields that the list compares.
func failureOf(err error) *behaviour.Failure {
	var (
		api        *griot.Error
		unanswered *griot.UnansweredError
		invalid    *griot.ArgumentError
		own        *login.Error
		hook       webhook.CodeError
	)
	switch {
	case errors.As(err, &unanswered):
		return &behaviour.Failure{Kind: "unanswered"}
	case errors.As(err, &api):
		if !errors.Is(err, griot.CodeError(api.Code)) {
			break
		}
		return &behaviour.Failure{Kind: "api", Code: api.Code, Status: api.HTTPStatus, Field: api.Field, RetryAfterMs: api.RetryAfter.Milliseconds()}
	case errors.As(err, &invalid):
		return &behaviour.Failure{Kind: "invalid", Field: invalid.Field}
	case errors.As(err, &own):
		return &behaviour.Failure{Kind: "login", Code: own.Code}
	case errors.As(err, &hook):
		return &behaviour.Failure{Kind: "webhook", Code: string(hook)}
	}
	return &behaviour.Failure{Kind: "unknown", Code: err.Error()}
}
