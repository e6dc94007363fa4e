package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"example.com/griot/cmd/griot/devfile"
	"example.com/griot/cmd/griot/exit"
	"example.com/griot/gateway/gatewaystore"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/config"
	"example.com/griot/internal/db"
	"example.com/griot/internal/seal"
	"example.com/griot/internal/textfile"
	"example.com/griot/internal/verb"
)

// deployment is a Griot server, if it runs, and the settings for opening its services.
type deployment struct {
	key      *seal.Key
	server   string // the internal listener; empty if the server has never run
	c        *config.Config
	gateways []gatewaystore.Configured
}

// deployment returns the deployment that the flags name.
func (o *adminOptions) deployment() (*deployment, error) {
	if o.data != "" {
		if o.config != "" {
			return nil, errTwoPlaces()
		}
		return devDeployment(o.data)
	}
	cfg, err := config.Load(o.config, os.Environ())
	if err != nil {
		return nil, suggestConfig(err)
	}
	key, err := cfg.Key()
	d := &deployment{key: key, server: "http://" + cfg.Internal.Listen, c: cfg}
	if err == nil {
		d.gateways, err = configuredGateways(cfg)
	}
	return d, err
}

// usualConfig is the path at which griot init and packages put the configuration of a machine.
const usualConfig = "/etc/griot/griot.yaml"

// suggestConfig adds existing configurations to the error for a missing one.
func suggestConfig(err error) error {
	if !errors.Is(err, config.ErrNone) {
		return err
	}
	if _, missing := os.Stat(filepath.Join(devfile.Folder, "master.key")); missing == nil {
		return fmt.Errorf("%w (for the griot dev of this directory: --data %s)", err, devfile.Folder)
	}
	if _, missing := os.Stat(usualConfig); missing == nil {
		return fmt.Errorf("%w (here: --config %s)", err, usualConfig)
	}
	return fmt.Errorf("%w (use the configuration of griot serve, or --data DIRECTORY for griot dev)", err)
}

// devDeployment reads the files in dev's directory. Like dev, it takes a database from GRIOT_DATABASE.
func devDeployment(dir string) (*deployment, error) {
	b, err := os.ReadFile(filepath.Join(dir, "master.key"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New("--data: this directory has no master.key. Check whether griot dev has run with it")
	}
	if err != nil {
		return nil, err
	}
	d := &deployment{c: config.ForDev(dir), gateways: []gatewaystore.Configured{{Name: devGateway, Kind: virtualKind}}}
	if d.key, err = seal.ParseKey(strings.TrimSpace(textfile.Line(string(b)))); err != nil {
		return nil, err
	}
	d.c.Database = cmp.Or(textfile.Line(os.Getenv("GRIOT_DATABASE")), d.c.Database)
	state, err := devfile.Load(filepath.Join(dir, devfile.Name))
	if err != nil {
		return nil, err
	}
	d.server = state.InternalURL
	d.c.API.URL, d.c.Auth.URL = cmp.Or(state.BaseURL, "http://"+d.c.API.Listen), cmp.Or(state.AuthURL, "http://"+d.c.Auth.Listen)
	return d, nil
}

// call runs a verb in the server, or on the database if no server listens.
func (o *adminOptions) call(ctx context.Context, name string, in []byte) (json.RawMessage, error) {
	d, err := o.deployment()
	if err != nil {
		return nil, err
	}
	if d.server != "" {
		client, err := verb.NewClient(d.server, d.key)
		if err != nil {
			return nil, err
		}
		out, err := client.Call(ctx, name, in)
		if !errors.Is(err, verb.ErrNoServer) {
			return out, err
		}
	}
	return d.direct(ctx, name, in)
}

// callServer runs a verb in the server, which must run.
func (o *adminOptions) callServer(ctx context.Context, name string, in []byte) (json.RawMessage, error) {
	d, err := o.deployment()
	if err != nil {
		return nil, err
	}
	if d.server == "" {
		return nil, verb.ErrNoServer
	}
	client, err := verb.NewClient(d.server, d.key)
	if err != nil {
		return nil, err
	}
	return client.Call(ctx, name, in)
}

// mustExist prevents a mistyped directory from becoming a second deployment.
func (d *deployment) mustExist() error {
	if path, ok := strings.CutPrefix(d.c.Database, "sqlite:"); ok {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return errors.New("the server isn't running, and the database doesn't exist yet: start the server, or run griot migrate")
		}
	}
	return nil
}

// direct runs a verb on the database of a server that is not running.
func (d *deployment) direct(ctx context.Context, name string, in []byte) (out json.RawMessage, err error) {
	if err := d.mustExist(); err != nil {
		return nil, err
	}
	open, err := db.Open(ctx, d.c.Database)
	if errors.Is(err, db.ErrInUse) {
		return nil, fmt.Errorf("the database is in use by a process that doesn't respond at %s: it might be starting or stopping, or it listens at another address (internal.listen)", d.server)
	}
	if err != nil {
		return nil, databaseFault(d.c.Database, err)
	}
	defer func() { err = errors.Join(err, open.Close()) }()
	p, err := newHost(ctx, open, d.c.Database, d.key, slog.New(slog.DiscardHandler), newProbes(), false)
	if err != nil {
		return nil, err
	}
	c := *d.c
	c.Roles = nil
	a, err := openApp(ctx, p, &c, d.gateways)
	if err != nil {
		return nil, err
	}
	out, err = a.verbs.Call(ctx, name, in)
	if refusal, ok := errors.AsType[*apierror.Error](err); ok && refusal.Cause == nil {
		err = errors.New(refusal.Text()) // as a server would have responded
	}
	return out, err
}

// oneLine returns an error's text in one line, with its exit code. Problems of a configuration keep their own lines.
func oneLine(err error) error {
	if _, ok := errors.AsType[config.CheckError](err); ok {
		return err
	}
	line := errors.New(strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' }), "; "))
	if code := exitCode(err); code != 1 {
		return &exit.Error{Code: code, Err: line}
	}
	return line
}
