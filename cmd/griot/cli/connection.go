package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	griot "example.com/griot/client"
	"example.com/griot/cmd/griot/exit"
	"example.com/griot/cmd/griot/profile"
	"example.com/griot/internal/textfile"
)

// The environment variables for the service and the key. There are no others.
const (
	keyVariable     = "GRIOT_API_KEY"
	keyFileVariable = "GRIOT_API_KEY_FILE"
	urlVariable     = "GRIOT_API_URL"
	profileVariable = "GRIOT_PROFILE"

	defaultAPI = "http://127.0.0.1:8080"
)

// connection holds the flags of all commands that call the service, and the service that they select.
type connection struct {
	o       *Options
	profile string
	url     string
	data    string
	json    bool

	made atomic.Bool // a connection to the service, or to a proxy, was made at least once
	at   service
}

// service is the target of a command's calls, with the key.
type service struct {
	url, key string
	from     string // the origin of both, for people
}

// flags adds the flags to a command, after its own.
func (o *connection) flags(c *cobra.Command) {
	f := c.Flags()
	f.SortFlags = false
	f.BoolVar(&o.json, "json", false, "print JSON, including errors")
	f.StringVar(&o.profile, "profile", "", "profile of griot configure to use ("+profileVariable+")")
	f.StringVar(&o.url, "url", "", "URL of the service, for the key in "+keyVariable+" ("+urlVariable+"; default: "+defaultAPI+")")
	f.StringVar(&o.data, "data", "", "directory of griot dev: use its URL and the key of its business account")
	_ = c.RegisterFlagCompletionFunc("profile", completeProfiles)
	_ = c.MarkFlagDirname("data")
}

// find returns the target of the calls. A key is never an argument, because every user on the machine can read
// arguments. A key is only sent to the address that it belongs to.
func (o *connection) find() (service, error) {
	switch {
	case o.data != "" && (o.url != "" || o.profile != ""):
		return service{}, exit.Usage("--data already sets the URL of griot dev: omit --url and --profile")
	case o.data != "":
		address, key, err := o.o.Dev(o.data)
		return service{address, key, "the griot dev of " + o.data}, err
	case o.profile != "":
		return o.ofProfile(o.profile)
	}
	key, from, err := environmentKey()
	named := os.Getenv(profileVariable)
	switch {
	case err != nil:
		return service{}, err
	case key != "" && named != "":
		return service{}, exit.Usage("%s and %s are both set and might belong to different accounts: unset one, or use --profile", from, profileVariable)
	case key != "":
		return service{cmp.Or(o.url, os.Getenv(urlVariable), defaultAPI), key, from}, nil
	case named != "":
		return o.ofProfile(named)
	}
	at, err := o.ofProfile(profile.Default)
	if errors.Is(err, profile.ErrNone) {
		return service{}, o.noKey()
	}
	return at, err
}

// ofProfile returns the service of a profile.
func (o *connection) ofProfile(name string) (service, error) {
	store, err := profile.Open()
	if err != nil {
		return service{}, err
	}
	p, err := store.Load(name)
	switch {
	case errors.Is(err, profile.ErrNone):
		return service{}, &exit.Error{Code: exit.CodeUsage, Err: fmt.Errorf("%w %q: create it with griot configure --profile %s", err, name, name)}
	case err != nil:
		return service{}, exit.Usage("profile %q: %w", name, err)
	case o.url != "" && strings.TrimRight(o.url, "/") != strings.TrimRight(p.URL, "/"):
		return service{}, exit.Usage("the key of the profile %q is only for %s: omit --url, or set a key in %s", name, p.URL, keyVariable)
	}
	return service{p.URL, p.Key, "the profile " + name}, nil
}

func environmentKey() (key, from string, err error) {
	if key := textfile.Line(os.Getenv(keyVariable)); key != "" {
		return key, keyVariable, nil
	}
	file := os.Getenv(keyFileVariable)
	if file == "" {
		return "", "", nil
	}
	b, err := os.ReadFile(file) //nolint:gosec // G703: whoever runs the command names the file
	if err != nil {
		return "", "", exit.Usage("%s: %w", keyFileVariable, err)
	}
	return strings.TrimSpace(textfile.Line(string(b))), keyFileVariable, nil
}

// noKey returns the error for a missing key, which explains how to provide one.
func (o *connection) noKey() error {
	hint := ""
	if _, err := os.Stat(filepath.Join(o.o.DevFolder, "dev.json")); !errors.Is(err, fs.ErrNotExist) {
		hint = "; for the griot dev of this directory, use --data " + o.o.DevFolder
	}
	return exit.Usage("no API key: run griot configure, set %s to the key, or set %s to a file that contains it%s", keyVariable, keyFileVariable, hint)
}

// client returns a client for the service that the flags, the environment, or a profile names.
func (o *connection) client() (*griot.Client, error) { return o.clientWith(griot.Options{}) }

// clientWith returns a client like client, with additional options.
func (o *connection) clientWith(options griot.Options) (*griot.Client, error) {
	at, err := o.find()
	if err != nil {
		return nil, err
	}
	return o.clientOf(at, options)
}

func (o *connection) clientOf(at service, options griot.Options) (*griot.Client, error) {
	o.at = at
	options.HTTP, options.UserAgent = &http.Client{Transport: o.transport()}, "griot-cli/"+o.o.Version
	api, err := griot.New(at.url, at.key, options)
	if err != nil {
		return nil, calledWrongly(err)
	}
	return api, nil
}

// refusal converts an error response to an error with advice.
func refusal(e *griot.Error) error {
	out := &exit.Error{Code: 1, Err: e}
	switch {
	case e.MessageStatus.HasFailed():
		out.Code = exit.CodeFailed
	case e.HTTPStatus == http.StatusBadRequest && e.Field != "": // an invalid value
		out.Code = exit.CodeUsage
	}
	if e.RetryAfter > 0 {
		out.Err = fmt.Errorf("%w; retry in %s", out.Err, e.RetryAfter)
	}
	if e.UpgradeURL != "" {
		out.Err = fmt.Errorf("%w; upgrade at %s", out.Err, e.UpgradeURL)
	}
	return out
}

// calledWrongly converts the error for an argument that the client refuses.
func calledWrongly(err error) error {
	if wrong, ok := errors.AsType[*griot.ArgumentError](err); ok {
		return exit.Usage("%s", wrong.Problem)
	}
	return exit.Usage("%w", err)
}

// transport records whether a connection was made. Without one, no data has left this machine.
func (o *connection) transport() http.RoundTripper {
	t, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultTransport
	}
	t = t.Clone()
	dial := t.DialContext
	t.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err == nil {
			o.made.Store(true)
		}
		return conn, err
	}
	return t
}

// failed returns the error that ends the program after a failed call. A message that was stored and then failed has its
// own exit code.
func (o *connection) failed(err error) error {
	if lost, ok := errors.AsType[*griot.UnansweredError](err); ok {
		out := &exit.Error{Code: 1, Name: "no_answer", Err: lost}
		if errors.Is(err, context.Canceled) {
			out.Code, out.Name = exit.CodeInterrupted, "interrupted"
		}
		switch {
		case !o.made.Load():
			out.Err = fmt.Errorf("can't connect to %s (%w): nothing was sent. Check whether the service runs there, or select another one with --url, --profile, or --data", o.at.url, lost.Err)
			if out.Code == 1 {
				out.Name = "not_connected"
			}
		case lost.IdempotencyKey != "":
			out.IdempotencyKey = lost.IdempotencyKey
			out.Err = fmt.Errorf("%w; the message might have been sent: retry with --idempotency-key %s to avoid sending it twice", lost, lost.IdempotencyKey)
		}
		return out
	}
	if e, ok := errors.AsType[*griot.Error](err); ok {
		return refusal(e)
	}
	if _, ok := errors.AsType[*griot.ArgumentError](err); ok {
		return calledWrongly(err)
	}
	return err
}
