package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"example.com/griot/cmd/griot/console"
	"example.com/griot/cmd/griot/exit"
	"example.com/griot/internal/isotime"
)

// Options are passed to the commands by their program.
type Options struct {
	Version   string
	DevFolder string                                               // default directory of griot dev's data
	Dev       func(folder string) (address, key string, err error) // returns the address of the griot dev of a directory, and a key
}

// Commands returns the commands.
func Commands(o *Options) []*cobra.Command {
	return []*cobra.Command{
		sendCommand(o), batchCommand(o), statusCommand(o), logsCommand(o), otpCommand(o), inboxCommand(o), listenCommand(o), groupsCommand(o), whoamiCommand(o),
		openCommand(o), configureCommand(o), completionCommand(),
	}
}

// printJSON prints the body of a response, indented.
func printJSON(w io.Writer, raw []byte) error {
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%s\n", bytes.TrimSpace(b.Bytes()))
	return err
}

// pointInTime parses a time, or a duration from now. With back, the duration is before now, and a time without its day
// is the latest that has passed.
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
	t, err := console.ParseTime(s, time.Now(), back)
	switch {
	case errors.Is(err, isotime.ErrGap) || errors.Is(err, isotime.ErrTwice):
		return t, exit.Usage("--%s %w", flag, err)
	case err != nil:
		return t, exit.Usage("--%s must be a time such as 2026-03-01T08:00 in this machine's time zone, 2026-03-01T08:00:00Z, or a duration such as 2h", flag)
	}
	return t, nil
}

// noArguments is for commands that only take flags.
func noArguments(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return exit.Usage("%s takes only flags", c.CommandPath())
	}
	return nil
}

// needs checks that a command has n arguments. Its error names them.
func needs(n int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != n {
			return exit.Usage("%s needs %s", c.CommandPath(), what)
		}
		return nil
	}
}
