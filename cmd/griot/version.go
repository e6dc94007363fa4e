package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
)

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Show the version",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(c.OutOrStdout(), versionLine())
			return err
		},
	}
}

// versionLine names the program, what it was built with, and what for.
func versionLine() string {
	return fmt.Sprintf("griot %s %s %s/%s", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
