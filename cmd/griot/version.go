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

// versionLine returns the name of the program, its version, its build, and its platform.
func versionLine() string {
	return fmt.Sprintf("griot %s %s %s/%s", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
