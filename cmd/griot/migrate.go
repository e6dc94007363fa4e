package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"example.com/griot/internal/config"
)

func migrateCommand() *cobra.Command {
	var file string
	c := &cobra.Command{
		Use:   "migrate",
		Short: "Migrate the database to this version's schema",
		Long:  "Migrate the database to this version's schema. griot serve and griot dev also do this when they start.",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := config.Load(file, os.Environ())
			if err != nil {
				return err
			}
			d, err := openDeployed(c.Context(), cfg.Database)
			if err != nil {
				return err
			}
			defer func() { _ = d.Close() }()
			applied, err := d.Migrate(c.Context())
			if err != nil {
				return databaseFault(cfg.Database, err)
			}
			_, err = fmt.Fprintf(c.OutOrStdout(), "%d migrations applied %v\n", len(applied), applied)
			return err
		},
	}
	configFlag(c, &file)
	return c
}
