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
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/griot/cmd/griot/exit"
	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaystore"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/config"
)

func configCommand() *cobra.Command {
	return group("config", "Check the configuration of griot serve", configCheck())
}

// checked is the JSON output of config check.
type checked struct {
	OK       bool              `json:"ok"`
	Mistakes config.CheckError `json:"mistakes"`
	Warnings []string          `json:"warnings"` // settings that work but might be unintended
}

func configCheck() *cobra.Command {
	var file string
	asJSON := false
	c := &cobra.Command{
		Use:   "check",
		Short: "Report every invalid setting",
		Long:  "Report every invalid setting in griot.yaml and the GRIOT_* variables that griot serve would reject, with its line and its fix.\nThe command changes nothing and calls no gateway. It reads the files that settings name, and reads the database only to look for a receiver's gateway that isn't in gateways.",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := loadConfig(file, os.Environ())
			warnings := []string{}
			if err == nil {
				if w := stopWarning(cfg, cmp.Or(file, config.DefaultFile), "/"); w != "" {
					warnings = append(warnings, w)
				}
				var absent config.CheckError
				absent, warnings = absentReceivers(c.Context(), cfg, warnings)
				err = append(absent, accessProblems(cfg, userOf(cmp.Or(file, config.DefaultFile), "/"))...).Err()
			}
			problems, found := errors.AsType[config.CheckError](err)
			switch {
			case err != nil && !found:
				return err
			case asJSON:
				e := json.NewEncoder(c.OutOrStdout())
				e.SetIndent("", "  ")
				if err := e.Encode(checked{err == nil, append(config.CheckError{}, problems...), warnings}); err != nil || !found {
					return err
				}
				return &exit.Error{Code: 1}
			case err != nil:
				return err
			}
			for _, w := range warnings {
				fmt.Fprintln(c.OutOrStdout(), "Warning:", w)
			}
			_, err = fmt.Fprintln(c.OutOrStdout(), "No errors.")
			return err
		},
	}
	configFlag(c, &file)
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON: ok, mistakes (with file, line, setting, variable, text, and hint), and warnings")
	return c
}

// absentReceivers returns the receivers of logins whose gateway doesn't exist, neither in the configuration nor in the
// database. It only reads the database. If it can't, it returns them as warnings.
func absentReceivers(ctx context.Context, cfg *config.Config, warnings []string) (problems config.CheckError, all []string) {
	var stored []string
	known, asked := true, false
	for i, r := range cfg.Auth.Receivers {
		if r.Gateway == "" || slices.ContainsFunc(cfg.Gateways, func(g config.Gateway) bool { return g.Name == r.Gateway }) {
			continue
		}
		if !asked {
			stored, known = storedGateways(ctx, cfg.Database)
			asked = true
		}
		p := cfg.Locate(config.Problem{Setting: fmt.Sprintf("auth.receivers[%d].gateway", i), Text: "the gateway " + r.Gateway + " doesn't exist", Hint: "correct the name, or add the gateway to gateways or with griot admin gateways add"})
		switch {
		case slices.Contains(stored, r.Gateway):
		case known:
			problems = append(problems, p)
		default:
			p.Text, p.Hint = r.Gateway+" isn't in gateways, and the database, which might contain it, can't be read", ""
			warnings = append(warnings, p.String())
		}
	}
	return problems, warnings
}

// storedGateways returns the names of the gateways in the database; known is false if it can't be read.
func storedGateways(ctx context.Context, url string) (names []string, known bool) {
	d, err := inspect(ctx, url)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, true // the database doesn't exist yet
	}
	if err != nil {
		return nil, false
	}
	defer func() { _ = d.Close() }()
	ctx, cancel := context.WithTimeout(ctx, serverTime)
	defer cancel()
	names, err = gatewaystore.Names(ctx, d)
	return names, err == nil
}

// configFlag adds the flag --config.
func configFlag(c *cobra.Command, file *string) {
	c.Flags().StringVar(file, "config", "", "configuration file (default: "+config.DefaultFile+", if it exists)")
}

// loadConfig reads a configuration that griot serve can use, or returns all errors in it, including those of gateway
// settings, which only their drivers know.
func loadConfig(file string, environ []string) (*config.Config, error) {
	cfg, err := config.Load(file, environ)
	problems, found := errors.AsType[config.CheckError](err)
	if err != nil && !found {
		return nil, err
	}
	if folder, ok := errors.AsType[config.CheckError](cfg.CheckFolder()); ok {
		problems = append(problems, folder...)
	}
	registry, channels := drivers(), map[string][]gateway.Channel{}
	for i := range cfg.Gateways {
		at := fmt.Sprintf("gateways[%d]", i)
		if slices.ContainsFunc(problems, func(p config.Problem) bool { return strings.HasPrefix(p.Setting, at+".") }) {
			continue
		}
		g := &cfg.Gateways[i]
		p, has := checkGateway(registry, g, at)
		if channels[g.Name] = has; p != nil {
			if member := p.Setting + memberOf(p.Text); cfg.Has(member) || cfg.Has(member+"_file") {
				p.Setting = member
			}
			problems = append(problems, cfg.Locate(*p))
		}
	}
	for i, r := range cfg.Auth.Receivers {
		if has := channels[r.Gateway]; len(has) > 0 && !slices.Contains(has, gateway.WhatsApp) {
			problems = append(problems, cfg.Locate(config.Problem{Setting: fmt.Sprintf("auth.receivers[%d].gateway", i), Text: noLogins(r.Gateway), Hint: "set a WhatsApp gateway"}))
		}
	}
	return cfg, problems.Err()
}

// noLogins returns the reason that no one can sign in through a gateway without WhatsApp.
func noLogins(name string) string {
	return name + " doesn't deliver WhatsApp messages, which logins need because the sender of an SMS is easy to forge"
}

// checkGateway opens a gateway, which calls no provider, closes it, and returns its channels.
func checkGateway(registry gateway.Registry, g *config.Gateway, at string) (*config.Problem, []gateway.Channel) {
	open, known := registry[g.Kind]
	if !known {
		return &config.Problem{Setting: at + ".kind", Text: "isn't a known kind", Hint: "use one of " + strings.Join(registry.Kinds(), ", ")}, nil
	}
	settings, err := g.JSON()
	if err != nil {
		return &config.Problem{Setting: at + ".settings", Text: err.Error()}, nil
	}
	opened, err := open(settings, gateway.Deps{Name: g.Name, Now: clock.System, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return &config.Problem{Setting: at + ".settings", Text: strings.TrimPrefix(err.Error(), "settings: ")}, nil
	}
	defer func() { _ = opened.Close() }()
	return nil, opened.Info().Channels
}

// memberOf returns the field of the settings at the start of a driver's error, such as ".port" for "port must be …".
func memberOf(text string) string {
	word, _, _ := strings.Cut(text, " ")
	return "." + strings.TrimSuffix(word, ":")
}
