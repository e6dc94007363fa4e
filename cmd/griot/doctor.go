package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"example.com/griot/cmd/griot/exit"
	"example.com/griot/gateway/gatewaystore"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/config"
	"example.com/griot/internal/db"
	"example.com/griot/internal/doctor"
	"example.com/griot/internal/seal"
	"example.com/griot/internal/verb"
	"example.com/griot/messaging/account"
	messagingverbs "example.com/griot/messaging/verbs"
)

// checkTime is the time limit of each check; serverTime is the time limit for a response of the server.
const (
	checkTime  = 20 * time.Second
	serverTime = 5 * time.Second
)

func doctorCommand() *cobra.Command {
	o := &adminOptions{}
	asJSON := false
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Check a deployment and explain how to fix problems",
		Long: "Check the configuration, database, clock, gateways, and addresses of a deployment, whether its server runs or not.\nEach line is ok, warning, FAILED, or unknown, and explains how to fix the problem.\n" +
			"The command changes nothing, sends no message, and shows no secret. It exits with 1 if a check has failed, otherwise with 0.",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			report, err := examine(c.Context(), o, os.Environ())
			if err != nil {
				return err
			}
			write := report.Write
			if asJSON {
				write = report.WriteJSON
			}
			if err := write(c.OutOrStdout()); err != nil || report.OK {
				return err
			}
			return &exit.Error{Code: 1}
		},
	}
	o.place(c)
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON: ok, and findings (with check, subject, status, text, and hint)")
	return c
}

// examine runs all checks.
func examine(ctx context.Context, o *adminOptions, environ []string) (doctor.Report, error) {
	cfg, err := o.configuration(environ)
	mistakes, found := errors.AsType[config.CheckError](err)
	if err != nil && !found {
		return doctor.Report{}, suggestConfig(err)
	}
	if slices.ContainsFunc(mistakes, func(p config.Problem) bool { return p.Setting == "" && p.Variable == "" }) { // the settings are unknown
		return doctor.Run(ctx, []doctor.Check{configurationCheck(mistakes)}, checkTime), nil
	}
	x := &examination{cfg: cfg, dev: o.data != ""}
	if x.key, err = cfg.Key(); err != nil {
		x.key = nil // an error that is already listed
	}
	x.db, x.dbErr = inspect(ctx, cfg.Database)
	if x.db != nil {
		defer func() { _ = x.db.Close() }()
	}
	x.checkKey(ctx)
	return doctor.Run(ctx, x.checks(mistakes), checkTime), nil
}

func inspect(ctx context.Context, url string) (*db.DB, error) {
	ctx, cancel := context.WithTimeout(ctx, serverTime)
	defer cancel()
	return db.Inspect(ctx, url)
}

// examination is a deployment that doctor checks.
type examination struct {
	cfg   *config.Config
	dev   bool      // a griot dev, which has no proxies and doesn't support the check of them
	own   caller    // runs verbs in this process, which is the server; nil: it isn't
	key   *seal.Key // nil: it can't be read, or isn't the deployment's
	db    *db.DB    // nil: it can't be read
	dbErr error

	keyName string
	keyErr  error // of comparing the key with the database

	serverOnce sync.Once
	ask        caller // runs verbs in the server; nil: no server of this deployment responds
	health     messagingverbs.Health
	serverErr  error

	gatewaysOnce sync.Once
	gateways     []testedGateway
	gatewaysErr  error
}

// caller runs a verb.
type caller func(ctx context.Context, verb string, in []byte) (json.RawMessage, error)

// examine runs all checks that the server can run on itself. It uses the server's own database and gateways.
func (a *app) examine(ctx context.Context) doctor.Report {
	x := &examination{cfg: a.c, dev: a.c.Dev.PhonesURL != "", key: a.key, keyName: a.key.Name(), db: a.db, own: a.ask}
	return doctor.Run(ctx, x.checks(nil), checkTime)
}

// ask runs a verb for the checks. Its errors are those of [verb.Client.Call].
func (a *app) ask(ctx context.Context, name string, in []byte) (json.RawMessage, error) {
	out, err := a.verbs.Call(ctx, name, in)
	if text, refused := verb.Refusal(err); refused {
		return nil, verb.ServerError(text)
	}
	if err != nil && ctx.Err() == nil {
		a.log.Error("a check failed", "verb", name, "err", err)
		return nil, verb.ServerError("the server failed, and its log shows the reason")
	}
	return out, err
}

// checks returns all checks, in the order of the report.
func (x *examination) checks(mistakes config.CheckError) []doctor.Check {
	database := &doctor.Database{URL: x.cfg.Database, DB: x.db, Err: x.dbErr, Now: clock.System, Serve: x.serves, NoKey: x.key == nil, GatewayAhead: x.gatewayAhead}
	network := &doctor.Network{Config: x.cfg, Key: x.key, Now: clock.System, Serve: x.serves}
	checks := []doctor.Check{
		configurationCheck(mistakes), doctor.Permissions(x.cfg, userOf(cmp.Or(x.cfg.File(), config.DefaultFile), "/"), x.own != nil),
		{Name: "server", About: "The server of this deployment responds at `internal.listen`. It has the same master key and the same version as this program.", Run: x.server},
	}
	checks = append(checks, database.Checks()...)
	checks = append(checks,
		doctor.Check{Name: "master-key", About: "The master key is the one that sealed the database. With another key, the doctor skips all checks that need the key.", Run: x.masterKey},
		doctor.Check{Name: "gateways", About: "Each gateway responds to a test that sends nothing and accepts our credentials. Its senders are connected. The provider supports the version of its API for at least 90 more days.", Run: x.testGateways},
		doctor.Check{Name: "receivers", About: "Each receiver in `auth.receivers` has a WhatsApp gateway that exists, works, and is connected for its number.", Run: x.receivers},
		doctor.Check{Name: "mail", About: "`email.gateway`, which mails sign-in codes and invitations, responds.", Run: x.mail},
		doctor.Check{Name: "webhooks", About: "No webhook endpoint of an account or a tenant is disabled or failing.", Run: x.webhooks},
	)
	return append(checks, slices.DeleteFunc(network.Checks(), func(c doctor.Check) bool { return x.dev && c.Name == "proxies" })...)
}

func configurationCheck(mistakes config.CheckError) doctor.Check {
	return doctor.Check{Name: "configuration", About: "`griot.yaml` and the `GRIOT_*` variables have no errors. The messages are those of `griot config check`.", Run: func(context.Context) (out []doctor.Finding) {
		for _, m := range mistakes {
			hint := m.Hint
			m.Hint = ""
			out = append(out, doctor.Bad(doctor.Failed, hint, "%s", m.String()))
		}
		if len(out) == 0 {
			out = append(out, doctor.Good("no errors"))
		}
		return out
	}}
}

// serves reports whether the server of this deployment responds.
func (x *examination) serves(ctx context.Context) bool {
	x.serverOnce.Do(func() { x.serverErr = x.callServer(ctx) })
	return x.ask != nil
}

func (x *examination) callServer(ctx context.Context) error {
	ask := x.own
	if ask == nil {
		if x.key == nil {
			return x.noKey()
		}
		client, err := verb.NewClient("http://"+x.cfg.Internal.Listen, x.key)
		if err != nil {
			return err
		}
		ask = client.Call
	}
	ctx, cancel := context.WithTimeout(ctx, serverTime)
	defer cancel()
	raw, err := ask(ctx, "health.show", []byte("{}"))
	if err == nil {
		err = json.Unmarshal(raw, &x.health)
	}
	if err == nil {
		x.ask = ask
	}
	return err
}

func (x *examination) server(ctx context.Context) []doctor.Finding {
	at := x.cfg.Internal.Listen
	switch served := x.serves(ctx); {
	case errors.Is(x.serverErr, verb.ErrNoServer):
		return []doctor.Finding{doctor.Bad(doctor.Unknown, "start griot serve (systemctl start griot)", "no server runs at %s, so results that only the server knows are missing", at)}
	case !served && x.key == nil:
		return []doctor.Finding{doctor.Bad(doctor.Unknown, "", "%s", x.serverErr)}
	case isServerError(x.serverErr):
		return []doctor.Finding{doctor.Bad(doctor.Failed, "check the database, and the server's log (journalctl -u griot)", "%s: %s", at, oneLine(x.serverErr))}
	case !served:
		return []doctor.Finding{doctor.Bad(doctor.Failed, "correct internal.listen or the master key, or check the server's log", "%s: %s", at, oneLine(x.serverErr))}
	case x.health.Version != version:
		return []doctor.Finding{doctor.Bad(doctor.Warning, "restart it (systemctl restart griot)", "the server runs version %s, but this program is %s", x.health.Version, version)}
	case x.health.Sending.PausedAt != nil:
		return []doctor.Finding{doctor.Bad(doctor.Warning, "run griot admin resume", "it runs, but sending is paused: messages are accepted and queued")}
	}
	return []doctor.Finding{doctor.Good("version %s responds at %s", x.health.Version, at)}
}

// isServerError reports whether the deployment's server has responded with an error.
func isServerError(err error) bool {
	_, ok := errors.AsType[verb.ServerError](err)
	return ok
}

// call runs a read-only verb in the server, or without a server on the database.
func (x *examination) call(ctx context.Context, name string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	raw := json.RawMessage(nil)
	switch {
	case x.serves(ctx):
		raw, err = x.ask(ctx, name, body)
	case x.key == nil:
		return x.noKey()
	case x.db == nil:
		return errors.New("the database can't be read, and no server responds")
	default:
		raw, err = x.verbs().Call(ctx, name, body)
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, out)
}

// verbs returns the verbs about gateways on a read-only database.
func (x *examination) verbs() verb.Verbs {
	configured, err := configuredGateways(x.cfg)
	if err != nil {
		configured = nil // an error that is already listed
	}
	directory := account.NewDirectory(x.db, clock.System)
	store := gatewaystore.New(gatewaystore.Options{DB: x.db, Key: x.key, Drivers: drivers(), Configured: configured, InUse: account.OnGateway, Now: clock.System, Log: slog.New(slog.DiscardHandler)})
	return messagingverbs.Verbs(messagingverbs.Options{Directory: directory, Gateways: store, URL: x.cfg.API.URL})
}
