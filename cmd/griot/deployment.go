package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"example.com/griot/cmd/griot/devfile"
	"example.com/griot/cmd/griot/exit"
	"example.com/griot/internal/config"
	"example.com/griot/internal/db"
	"example.com/griot/internal/seal"
)

// configuration returns the configuration that the flags name: that of a file, or that of a griot dev in its directory.
// Variables override both.
func (o *adminOptions) configuration(environ []string) (*config.Config, error) {
	switch {
	case o.data == "":
		return loadConfig(o.config, environ)
	case o.config != "":
		return nil, errTwoPlaces()
	}
	d, err := devDeployment(o.data)
	if err != nil {
		return nil, err
	}
	s, err := devfile.Load(filepath.Join(o.data, devfile.Name))
	if err != nil {
		return nil, err
	}
	api, auth := cmp.Or(s.BaseURL, "http://127.0.0.1:8080"), cmp.Or(s.AuthURL, "http://127.0.0.1:8081")
	address := func(url string) string { return strings.TrimPrefix(url, "http://") }
	return loadConfig(config.NoFile, append([]string{ // the last one wins
		"GRIOT_DATABASE=" + d.c.Database, "GRIOT_MASTER_KEY_FILE=" + filepath.Join(o.data, "master.key"),
		"GRIOT_API_URL=" + api, "GRIOT_AUTH_URL=" + auth, "GRIOT_API_LISTEN=" + address(api), "GRIOT_AUTH_LISTEN=" + address(auth),
		"GRIOT_INTERNAL_LISTEN=" + address(cmp.Or(s.InternalURL, "http://127.0.0.1:8082")),
	}, slices.DeleteFunc(slices.Clone(environ), func(v string) bool { return strings.HasPrefix(v, "GRIOT_") && strings.HasSuffix(v, "=") })...))
}

func errTwoPlaces() error {
	return exit.Usage("use --data for griot dev or --config for griot serve, but not both")
}

// configurationFault gives a configuration error the exit code that tells a service manager not to restart Griot.
func configurationFault(err error) error {
	_, mistakes := errors.AsType[config.CheckError](err)
	_, wrongKey := errors.AsType[*seal.WrongKeyError](err)
	_, encoding := errors.AsType[*db.EncodingError](err)
	_, coded := errors.AsType[*exit.Error](err)
	if !coded && (mistakes || wrongKey || encoding || errors.Is(err, config.ErrNone)) {
		return &exit.Error{Code: exit.CodeConfig, Err: err, Name: "configuration"}
	}
	return err
}

// openDeployed opens a deployment's database. Its errors name the setting.
func openDeployed(ctx context.Context, url string) (*db.DB, error) {
	d, err := db.Open(ctx, url)
	return d, databaseFault(url, err)
}

// databaseFault adds the setting and a fix to an error of the database.
func databaseFault(url string, err error) error {
	path := strings.TrimPrefix(url, "sqlite:")
	switch {
	case err == nil:
		return nil
	case db.Damaged(err):
		return fmt.Errorf("database: %s is damaged or isn't a database: restore a backup (griot restore): %w", path, err)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("database: the user that runs Griot can't write %s and its directory: %w", path, err)
	}
	return fmt.Errorf("database: %w", err)
}
