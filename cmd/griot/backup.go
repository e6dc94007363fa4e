package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/griot/cmd/griot/console"
	"example.com/griot/cmd/griot/exit"
	"example.com/griot/internal/backup"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/seal"
)

const standardStream = "-"

func backupCommand() *cobra.Command {
	o := &adminOptions{}
	c := &cobra.Command{
		Use:   "backup DIR|-",
		Short: "Back up an SQLite database while Griot runs",
		Long:  "Copy the SQLite database of a deployment to a new directory or, with -, as a tar archive to standard output. The server can keep running.",
		Args:  exactlyOne("new directory, or - for standard output"),
		RunE:  func(c *cobra.Command, args []string) error { return takeBackup(c, o, args[0]) },
	}
	o.place(c)
	c.AddCommand(&cobra.Command{
		Use: "verify DIR|-", Short: "Verify the checksums and the database of a backup", Args: exactlyOne("directory, or - for a tar archive on standard input"),
		RunE: func(c *cobra.Command, args []string) error { return verifyBackup(c, args[0]) },
	})
	return c
}

// place adds the flags that select the deployment.
func (o *adminOptions) place(c *cobra.Command) {
	c.Flags().StringVar(&o.config, "config", "", "configuration file of griot serve (default: griot.yaml, if it exists)")
	c.Flags().StringVar(&o.data, "data", "", "directory of griot dev, instead of a configuration")
}

var errPostgresBackup = errors.New("griot backup can't back up PostgreSQL: use PostgreSQL's own tools, and run griot restore --mark after a restore (docs/operating/backup.md)")

func takeBackup(c *cobra.Command, o *adminOptions, to string) error {
	d, err := o.deployment()
	if err != nil {
		return err
	}
	path, ok := strings.CutPrefix(d.c.Database, "sqlite:")
	if !ok {
		return errPostgresBackup
	}
	s := &backup.Source{Database: path, Folder: o.data, Version: version, MasterKey: d.key.Sealing(), Now: clock.System()}
	say := c.OutOrStdout()
	var m *backup.Manifest
	if to == standardStream {
		say = c.ErrOrStderr()
		m, err = backup.ToTar(c.Context(), s, c.OutOrStdout())
	} else {
		m, err = backup.ToFolder(c.Context(), s, to)
	}
	if err != nil {
		return err
	}
	return showBackup(say, m)
}

func showBackup(w io.Writer, m *backup.Manifest) error {
	return console.Columns(w, func(w io.Writer) {
		console.Row(w, "taken at", m.TakenAt)
		console.Row(w, "created by", "griot "+m.Version)
		console.Row(w, "schema", m.Schema)
		for _, f := range m.Files {
			console.Row(w, f.Name, fmt.Sprint(f.Size, " bytes"))
		}
		for _, what := range m.NotIncluded {
			console.Row(w, "not included", what)
		}
	})
}

// readBackup returns the function that reads the backup that an argument names.
func readBackup(ctx context.Context, in io.Reader, from string) func(keep func(backup.File, io.Reader) error) (*backup.Manifest, error) {
	return func(keep func(backup.File, io.Reader) error) (*backup.Manifest, error) {
		if from == standardStream {
			return backup.Tar(ctx, in, keep)
		}
		return backup.Folder(ctx, from, keep)
	}
}

func verifyBackup(c *cobra.Command, from string) error {
	m, err := readBackup(c.Context(), c.InOrStdin(), from)(backup.Ignore)
	if err != nil {
		return err
	}
	if from != standardStream { // a stream is only inspected when it is restored
		for _, f := range m.Files {
			if f.Name == backup.Dev {
				continue
			}
			if err := db.Check(c.Context(), filepath.Join(from, f.Name)); err != nil {
				return err
			}
		}
	}
	if err := db.CheckVersion(db.SQLite, m.Schema); err != nil {
		return err
	}
	if err := showBackup(c.OutOrStdout(), m); err != nil {
		return err
	}
	_, err = fmt.Fprintln(c.OutOrStdout(), "whole")
	return err
}

func restoreCommand() *cobra.Command {
	o := &adminOptions{}
	var mark bool
	c := &cobra.Command{
		Use:   "restore DIR|-",
		Short: "Restore a backup without sending anything twice",
		Long:  "Restore a backup to a place without a database. Nothing in the backup is sent or used a second time, and sending starts paused.",
		Args: func(c *cobra.Command, args []string) error {
			switch {
			case mark && len(args) > 0:
				return exit.Usage("griot restore --mark takes no backup, because it is for a database that other tools have restored")
			case mark:
				return nil
			}
			return exactlyOne("directory of a backup, or - for a tar archive on standard input")(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			if mark {
				return markDatabase(c, o)
			}
			return restoreBackup(c, o, args[0])
		},
	}
	o.place(c)
	c.Flags().BoolVar(&mark, "mark", false, "only complete the restore of a database that pg_restore or another tool has restored")
	return c
}

// restoreTarget returns the destination of a backup, and the names of the existing master keys.
func (o *adminOptions) restoreTarget() (t *backup.Target, keys []string, err error) {
	if o.data != "" && o.config == "" {
		t = &backup.Target{Database: filepath.Join(o.data, backup.Database), Folder: o.data}
		if _, missing := os.Stat(filepath.Join(o.data, "master.key")); missing != nil {
			return t, nil, nil //nolint:nilerr // the key may come later
		}
		d, err := devDeployment(o.data)
		if err != nil {
			return nil, nil, err
		}
		return t, d.key.Names(), nil
	}
	d, err := o.deployment()
	if err != nil {
		return nil, nil, err
	}
	path, ok := strings.CutPrefix(d.c.Database, "sqlite:")
	if !ok {
		return nil, nil, errPostgresBackup
	}
	return &backup.Target{Database: path}, d.key.Names(), nil
}

func restoreBackup(c *cobra.Command, o *adminOptions, from string) error {
	target, keys, err := o.restoreTarget()
	if err != nil {
		return err
	}
	var done *restored
	m, err := target.Restore(c.Context(), readBackup(c.Context(), c.InOrStdin(), from), func(path string, m *backup.Manifest) error {
		d, err := db.Open(c.Context(), "sqlite:"+path)
		if err != nil {
			return err
		}
		done, err = markRestored(c.Context(), d, m.TakenAt)
		return errors.Join(err, d.Close())
	})
	if err != nil {
		return err
	}
	out := c.OutOrStdout()
	if err := done.show(out, target.Database); err != nil {
		return err
	}
	key := ""
	switch {
	case len(keys) == 0:
		key = "Put its master key at " + filepath.Join(o.data, "master.key") + " (mode 600) before you start it."
	case !slices.Contains(keys, m.MasterKey):
		key = "WARNING: " + (&seal.WrongKeyError{Configured: keys[0], Used: m.MasterKey}).Error() + "."
	}
	if key != "" {
		_, err = fmt.Fprintln(out, key)
	}
	return err
}

// show prints the actions of a restore, and the lost data.
func (r *restored) show(w io.Writer, where string) error {
	_, err := fmt.Fprintf(w, `Restored: %s

The data is complete until %s. The %s since then are missing:
  Opt-outs (STOP), erasures of people, cancellations, and revocations of tokens, keys, invitations, members, and sessions are lost.
  Suspensions of accounts, pauses of senders, disabled clients and endpoints, and emergency rotations of signing keys are lost.
  Repeated requests of that time are accepted and sent again, even with the same idempotency keys.

Ended, because they might have been sent or used since then:
  messages that were due (FAILED, outcome_unknown)   %d
  logins and their authorization codes               %d
  sessions of dashboards                             %d
  challenges of one-time codes                       %d

Sending is paused: messages are accepted and queued. Start the server, check it, and then run: griot admin resume
`, where, r.from.UTC().Format(time.RFC3339), r.at.Sub(r.from).Round(time.Second), r.messages, r.logins, r.sessions, r.challenges)
	return err
}
