package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	griot "example.com/griot/client"
)

// Exit codes; docs/cli.md explains them.
const (
	exitUsage   = 2 // the command was called wrongly
	exitFailed  = 3 // the message has failed
	exitPending = 4 // the message is still on its way after --wait
)

// exitError ends the program with a code. Without an error nothing is printed.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// usage returns the error of a command that was called wrongly.
func usage(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}

const defaultAPI = "http://127.0.0.1:8080"

// cliOptions are the flags that all commands have which call the messaging API.
type cliOptions struct {
	url  string
	data string
	json bool
}

// flags adds the flags to a command.
func (o *cliOptions) flags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.url, "url", "", "where the messaging API is (GRIOT_API_URL; "+defaultAPI+")")
	f.StringVar(&o.data, "data", "", "folder of a griot dev: take its address, and the key of its business account")
	f.BoolVar(&o.json, "json", false, "print JSON")
}

// client calls the service that the flags and the environment name. A key is never
// an argument: arguments can be read by everyone on the machine.
func (o *cliOptions) client() (*griot.Client, error) {
	address, key, err := o.url, "", error(nil)
	if o.data != "" {
		if o.url != "" {
			return nil, usage("--data says where griot dev is: leave out --url")
		}
		if address, key, err = devService(o.data); err != nil {
			return nil, err
		}
	} else if key, err = envKey(); err != nil {
		return nil, err
	}
	if address == "" {
		address = os.Getenv("GRIOT_API_URL")
	}
	if address == "" {
		address = defaultAPI
	}
	c, err := griot.New(address, key, griot.Options{UserAgent: "griot-cli/" + version})
	if err != nil {
		return nil, usage("%w", err)
	}
	return c, nil
}

// devService reads the address of the griot dev of a folder, and its business account's key.
func devService(dir string) (address, key string, err error) {
	s, err := loadDevState(filepath.Join(dir, devFile))
	if err == nil && s.Accounts.Business.LiveKey == "" {
		err = usage("--data: there is no %s in this folder: has griot dev run with it?", devFile)
	}
	if err != nil {
		return "", "", err
	}
	return s.BaseURL, s.Accounts.Business.LiveKey, nil
}

func envKey() (string, error) {
	if key := os.Getenv("GRIOT_API_KEY"); key != "" {
		return key, nil
	}
	if file := os.Getenv("GRIOT_API_KEY_FILE"); file != "" {
		b, err := os.ReadFile(file) //nolint:gosec // G703: whoever runs the command names the file
		if err != nil {
			return "", usage("GRIOT_API_KEY_FILE: %w", err)
		}
		return strings.TrimSpace(string(b)), nil
	}
	hint := ""
	if _, err := os.Stat(filepath.Join(devFolder, devFile)); !errors.Is(err, fs.ErrNotExist) {
		hint = " (for the griot dev of this folder: --data " + devFolder + ")"
	}
	return "", usage("no API key: set GRIOT_API_KEY, or GRIOT_API_KEY_FILE to a file that holds it%s", hint)
}

// failed returns the error that ends the program after a call that failed. A message that was stored and then failed has an
// exit code of its own.
func failed(err error) error {
	if lost, ok := errors.AsType[*griot.UnansweredError](err); ok && lost.IdempotencyKey != "" {
		return fmt.Errorf("%w; it may have been sent or not: with --idempotency-key %s the same message goes out once", lost, lost.IdempotencyKey)
	}
	if e, ok := errors.AsType[*griot.Error](err); ok && e.MessageStatus.HasFailed() {
		return &exitError{exitFailed, err}
	}
	return err
}

// printJSON prints an answer's body, indented.
func printJSON(w io.Writer, raw []byte) error {
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%s\n", bytes.TrimSpace(b.Bytes()))
	return err
}

// plain makes text from elsewhere safe for a terminal, in one line.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case !unicode.IsPrint(r):
			return '�'
		}
		return r
	}, s)
}

// pointInTime reads a time, or a duration from now; back counts it into the past.
func pointInTime(flag, s string, back bool) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if d, err := time.ParseDuration(s); err == nil && d > 0 {
		if back {
			d = -d
		}
		return time.Now().Add(d), nil
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return t, usage("--%s is a time such as 2026-03-01T08:00:00Z, or a duration such as 2h", flag)
	}
	return t, nil
}
