// Command griot is the program: `griot dev` to try it, `griot serve` to run it. All wiring is here, with one file for
// each subcommand.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/griot/cmd/griot/cli"
	"example.com/griot/cmd/griot/console"
	"example.com/griot/cmd/griot/devfile"
	"example.com/griot/cmd/griot/exit"
	"example.com/griot/internal/config"
	"example.com/griot/internal/db"
)

var version = "dev" // set by the linker

func main() {
	shiftClock()
	plantFault()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program immediately
	if err := run(ctx, root()); err != nil {
		exit.Print(os.Stderr, err, slices.Contains(os.Args, "--json"))
		os.Exit(exitCode(err))
	}
}

// run runs the command that the arguments name. An error before the command starts counts as invalid usage.
func run(ctx context.Context, c *cobra.Command) error {
	began := false
	noteBegin(c, &began)
	err := c.ExecuteContext(ctx)
	if err != nil && !began {
		return exit.Usage("%w", err)
	}
	return err
}

// noteBegin makes every command record that it has started.
func noteBegin(c *cobra.Command, began *bool) {
	if run := c.RunE; run != nil {
		c.RunE = func(c *cobra.Command, args []string) error {
			*began = true
			return run(c, args)
		}
	}
	for _, below := range c.Commands() {
		noteBegin(below, began)
	}
}

func exitCode(err error) int {
	if _, ok := errors.AsType[*db.SchemaError](err); ok {
		return exit.CodeSchema
	}
	return exit.CodeOf(err)
}

// suggestFlag adds the most similar flag to the error for an unknown one.
func suggestFlag(c *cobra.Command, err error) error {
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok || len(unknown.GetSpecifiedShortnames()) > 0 {
		return err
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	if near := config.Nearest(unknown.GetSpecifiedName(), names); near != "" {
		return fmt.Errorf("%w (did you mean --%s?)", err, near)
	}
	return err
}

const helpWidth = 80 // of flags, if the terminal doesn't report its width

func root() *cobra.Command {
	c := &cobra.Command{
		Use:           "griot",
		Short:         "Sign people in by message, and send messages with one API",
		Long:          "Griot signs people in by message, and sends messages over WhatsApp, SMS, and email.\nIncorrect usage, such as an unknown flag, ends with exit code 2.",
		Version:       version,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	c.SetFlagErrorFunc(suggestFlag)
	c.SetVersionTemplate(versionLine() + "\n")
	cobra.EnableCommandSorting = false // each group is in the order of use
	addGroup(c, "Try Griot on your machine:", devCommand())
	addGroup(c, "Use an account (developers):", cli.Commands(&cli.Options{Version: version, DevFolder: devfile.Folder, Dev: devService})...)
	addGroup(c, "Run a deployment (operators):", initCommand(), configCommand(), doctorCommand(), serveCommand(), adminCommand(), backupCommand(), restoreCommand(), migrateCommand())
	c.AddCommand(versionCommand(), manCommand())
	c.SetUsageTemplate(strings.ReplaceAll(c.UsageTemplate(), ".FlagUsages", fmt.Sprintf(".FlagUsagesWrapped %d", cmp.Or(console.Width(os.Stdout), helpWidth))))
	return c
}

// addGroup adds commands below a title of the help.
func addGroup(c *cobra.Command, title string, commands ...*cobra.Command) {
	c.AddGroup(&cobra.Group{ID: title, Title: title})
	for _, below := range commands {
		below.GroupID = title
	}
	c.AddCommand(commands...)
}
