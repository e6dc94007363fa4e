package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/griot/gateway"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/config"
)

func configCommand() *cobra.Command {
	return group("config", "Look at the configuration of griot serve", configCheck())
}

// checked is what config check prints as JSON.
type checked struct {
	OK       bool              `json:"ok"`
	Mistakes config.CheckError `json:"mistakes"`
}

func configCheck() *cobra.Command {
	var file string
	asJSON := false
	c := &cobra.Command{
		Use:   "check",
		Short: "Find every mistake in griot.yaml and the GRIOT_* variables, and change nothing",
		Long:  "Find every mistake in griot.yaml and the GRIOT_* variables, as griot serve would refuse them: each with its line, its setting and how to correct it. Files that settings name are read; neither the database nor a gateway is called.",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := loadConfig(file, os.Environ())
			problems, found := errors.AsType[config.CheckError](err)
			switch {
			case err != nil && !found:
				return err
			case asJSON:
				e := json.NewEncoder(c.OutOrStdout())
				e.SetIndent("", "  ")
				if err := e.Encode(checked{err == nil, append(config.CheckError{}, problems...)}); err != nil || !found {
					return err
				}
				return &exitError{code: 1}
			case err != nil:
				return err
			}
			_, err = fmt.Fprintln(c.OutOrStdout(), "No mistakes.")
			return err
		},
	}
	configFlag(c, &file)
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON: ok, and mistakes with file, line, setting, variable, text and hint")
	return c
}

// configFlag is --config.
func configFlag(c *cobra.Command, file *string) {
	c.Flags().StringVar(file, "config", "", "configuration file ("+config.DefaultFile+" where there is one)")
}

// loadConfig reads a configuration that griot serve can work with, or returns every mistake in it: those of the gateways'
// settings, which only their drivers know, too.
func loadConfig(file string, environ []string) (*config.Config, error) {
	cfg, err := config.Load(file, environ)
	problems, found := errors.AsType[config.CheckError](err)
	if err != nil && !found {
		return nil, err
	}
	registry := drivers()
	for i := range cfg.Gateways {
		at := fmt.Sprintf("gateways[%d]", i)
		if slices.ContainsFunc(problems, func(p config.Problem) bool { return strings.HasPrefix(p.Setting, at+".") }) {
			continue
		}
		if p := checkGateway(registry, &cfg.Gateways[i], at); p != nil {
			if member := p.Setting + memberOf(p.Text); cfg.Has(member) {
				p.Setting = member
			}
			problems = append(problems, cfg.Locate(*p))
		}
	}
	return cfg, problems.Err()
}

// checkGateway opens a gateway, which calls nobody, and closes it.
func checkGateway(registry gateway.Registry, g *config.Gateway, at string) *config.Problem {
	open, known := registry[g.Kind]
	if !known {
		return &config.Problem{Setting: at + ".kind", Text: "there is no such kind", Hint: "there are " + strings.Join(registry.Kinds(), ", ")}
	}
	settings, err := g.JSON()
	if err != nil {
		return &config.Problem{Setting: at + ".settings", Text: err.Error()}
	}
	opened, err := open(settings, gateway.Deps{Name: g.Name, Now: clock.System, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return &config.Problem{Setting: at + ".settings", Text: strings.TrimPrefix(err.Error(), "settings: ")}
	}
	_ = opened.Close()
	return nil
}

// memberOf returns the member of the settings that a driver's error begins with, such as ".port" of "port must be …".
func memberOf(text string) string {
	word, _, _ := strings.Cut(text, " ")
	return "." + strings.TrimSuffix(word, ":")
}
