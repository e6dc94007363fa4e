// Command griot is the program: `griot dev` to try it, `griot serve` to run it. All wiring is here, one file for each
// subcommand.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"griot/internal/db"
)

var version = "dev" // set by the linker

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	if err := root().ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "griot:", err)
		os.Exit(exitCode(err))
	}
}

// exitNewer is the exit code of a program that is older than its database: starting it again does not help.
const exitNewer = 3

func exitCode(err error) int {
	if e, ok := errors.AsType[*exitError](err); ok {
		return e.code
	}
	if _, ok := errors.AsType[*db.NewerError](err); ok {
		return exitNewer
	}
	return 1
}

func root() *cobra.Command {
	c := &cobra.Command{
		Use:           "griot",
		Short:         "Login by message, and messages by one API",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	c.AddCommand(devCommand(), serveCommand(), listenCommand(), migrateCommand(), adminCommand(), sendCommand(), statusCommand(), logsCommand(), versionCommand())
	return c
}
