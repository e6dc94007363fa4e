package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	authadmin "example.com/griot/auth/admin"
	authevents "example.com/griot/auth/events"
	"example.com/griot/auth/login"
	"example.com/griot/auth/tenant"
	"example.com/griot/auth/token"
	"example.com/griot/cmd/griot/exit"
	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaystore"
	"example.com/griot/internal/admin"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/config"
	"example.com/griot/internal/db"
	"example.com/griot/internal/fault"
	"example.com/griot/internal/safedial"
	"example.com/griot/internal/seal"
	"example.com/griot/internal/webhook"
	"example.com/griot/messaging/account"
	messagingadmin "example.com/griot/messaging/admin"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/events"
	"example.com/griot/messaging/otp"
	"example.com/griot/messaging/privacy"
)

// deployment is a Griot's server, if it runs, and its database.
type deployment struct {
	key      *seal.Key
	server   string // the internal listener; empty when it has never run
	database string
	apiURL   string
	gateways []gatewaystore.Configured
	plansOff bool
	dial     safedial.Options // where webhooks may go
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
	d := &deployment{key: key, server: "http://" + cfg.Internal.Listen, database: cfg.Database, apiURL: cfg.API.URL, plansOff: cfg.Plans == "off", dial: cfg.WebhookDial()}
	if err == nil {
		d.gateways, err = configuredGateways(cfg)
	}
	return d, err
}

// usualConfig is where griot init and packages put the configuration of a machine.
const usualConfig = "/etc/griot/griot.yaml"

// suggestConfig adds to the error of an absent configuration those that there are.
func suggestConfig(err error) error {
	if !errors.Is(err, config.ErrNone) {
		return err
	}
	if _, missing := os.Stat(filepath.Join(devFolder, "master.key")); missing == nil {
		return fmt.Errorf("%w (for the griot dev of this folder: --data %s)", err, devFolder)
	}
	if _, missing := os.Stat(usualConfig); missing == nil {
		return fmt.Errorf("%w (here: --config %s)", err, usualConfig)
	}
	return fmt.Errorf("%w (the configuration of griot serve, or --data FOLDER of a griot dev)", err)
}

// devDeployment reads what dev keeps in its folder; like dev, it takes a database from GRIOT_DATABASE.
func devDeployment(dir string) (*deployment, error) {
	b, err := os.ReadFile(filepath.Join(dir, "master.key"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New("--data: there is no master.key in this folder: has griot dev run with it?")
	}
	if err != nil {
		return nil, err
	}
	d := &deployment{database: os.Getenv("GRIOT_DATABASE"), gateways: []gatewaystore.Configured{{Name: devGateway, Kind: virtualKind}}, dial: safedial.Options{Loopback: true}}
	if d.key, err = seal.ParseKey(strings.TrimSpace(string(b))); err != nil {
		return nil, err
	}
	if d.database == "" {
		d.database = "sqlite:" + filepath.Join(dir, "griot.db")
	}
	state, err := loadDevState(filepath.Join(dir, devFile))
	if err != nil {
		return nil, err
	}
	d.server, d.apiURL = state.InternalURL, state.BaseURL
	return d, nil
}

// call runs a verb in the server, or on the database when no server listens.
func (o *adminOptions) call(ctx context.Context, verb string, in []byte) (json.RawMessage, error) {
	d, err := o.deployment()
	if err != nil {
		return nil, err
	}
	if d.server != "" {
		client, err := admin.NewClient(d.server, d.key)
		if err != nil {
			return nil, err
		}
		out, err := client.Call(ctx, verb, in)
		if !errors.Is(err, admin.ErrNoServer) {
			return out, err
		}
	}
	return d.direct(ctx, verb, in)
}

// callServer runs a verb in the server, which must run.
func (o *adminOptions) callServer(ctx context.Context, verb string, in []byte) (json.RawMessage, error) {
	d, err := o.deployment()
	if err != nil {
		return nil, err
	}
	if d.server == "" {
		return nil, admin.ErrNoServer
	}
	client, err := admin.NewClient(d.server, d.key)
	if err != nil {
		return nil, err
	}
	return client.Call(ctx, verb, in)
}

// mustExist keeps a mistyped folder from becoming a second deployment.
func (d *deployment) mustExist() error {
	if path, ok := strings.CutPrefix(d.database, "sqlite:"); ok {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return errors.New("there is no server and no database yet: start the server once, or run griot migrate")
		}
	}
	return nil
}

// direct runs a verb on the database of a server that does not run.
func (d *deployment) direct(ctx context.Context, verb string, in []byte) (out json.RawMessage, err error) {
	if err := d.mustExist(); err != nil {
		return nil, err
	}
	open, err := db.Open(ctx, d.database)
	if errors.Is(err, db.ErrInUse) {
		return nil, fmt.Errorf("the database is in use by a process that does not answer at %s: it may be starting or stopping, or listen elsewhere (internal.listen)", d.server)
	}
	if err != nil {
		return nil, databaseFault(d.database, err)
	}
	defer func() { err = errors.Join(err, open.Close()) }()
	if _, err := open.Migrate(ctx); err != nil {
		return nil, databaseFault(d.database, err)
	}
	rotation := newRotation(open, d.key, slog.New(slog.DiscardHandler))
	if err := rotation.Open(ctx); err != nil {
		return nil, err
	}
	signer, err := token.Open(ctx, open, d.key, clock.System)
	if err != nil {
		return nil, err
	}
	directory := account.NewDirectory(open, clock.System)
	directory.PlansOff = d.plansOff
	gateways := gatewaystore.New(gatewaystore.Options{DB: open, Key: d.key, Drivers: drivers(), Configured: d.gateways, InUse: account.OnGateway, Record: recordGateway, Now: clock.System, Log: slog.New(slog.DiscardHandler)})
	engine := delivery.New(delivery.Options{DB: open, Key: d.key, Directory: directory, Gateways: gateway.NewSet(nil), Now: clock.System, Log: slog.New(slog.DiscardHandler), AcceptOnly: true}) // it calls no gateway
	codes := otp.New(otp.Options{DB: open, Key: d.key, Now: clock.System})                                                                                                                       // only to be read
	loginEndpoints := authevents.NewEndpoints(webhook.Endpoints{DB: open, Key: d.key, Dial: d.dial, Now: clock.System, Signal: &webhook.Signal{}})
	verbs, err := adminVerbs(authadmin.Verbs(tenant.New(open, clock.System), login.New(login.Options{DB: open, Key: d.key, Now: clock.System}), signer, loginEndpoints),
		messagingadmin.Verbs(messagingadmin.Options{Directory: directory, Gateways: gateways, Engine: engine, URL: d.apiURL}), messagingadmin.Webhooks(open, d.endpoints(open)), messagingadmin.OTP(codes), messagingadmin.Audit(open, directory), messagingadmin.Messages(open, clock.System), messagingadmin.People(d.people(open, directory, engine), directory), messagingadmin.Sending(open, clock.System, nil), masterKeyVerbs(rotation, false),
		messagingadmin.HealthVerbs(messagingadmin.HealthOptions{DB: open, Now: clock.System, Version: version}))
	if err != nil {
		return nil, err
	}
	out, err = verbs.Call(ctx, verb, in)
	if refusal, ok := errors.AsType[*fault.Error](err); ok && refusal.Cause == nil {
		err = errors.New(refusal.Text()) // what a server would have answered
	}
	return out, err
}

// people returns what exports and erases persons' data, for a server that does not run.
func (d *deployment) people(open *db.DB, directory *account.Directory, engine *delivery.Service) *privacy.Service {
	return privacy.New(privacy.Options{DB: open, Key: d.key, Directory: directory, Engine: engine, Now: clock.System, Log: slog.New(slog.DiscardHandler), URL: d.apiURL})
}

// adminVerbs merges the tables of the services.
func adminVerbs(services ...admin.Verbs) (admin.Verbs, error) { return admin.Join(services...) }

// endpoints returns the accounts' webhook endpoints, for a server that does not run.
func (d *deployment) endpoints(open *db.DB) *events.Endpoints {
	return events.NewEndpoints(webhook.Endpoints{DB: open, Key: d.key, Dial: d.dial, Now: clock.System, Signal: &webhook.Signal{}})
}

// oneLine returns an error's text in one line, with its exit code; the mistakes of a configuration keep theirs.
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
