package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"

	"github.com/spf13/cobra"

	griot "example.com/griot/client"
	"example.com/griot/cmd/griot/console"
	"example.com/griot/cmd/griot/exit"
	"example.com/griot/cmd/griot/profile"
	"example.com/griot/internal/visible"
)

const maxKey = 512

// configureOptions are the flags of configure.
type configureOptions struct {
	connection
	name, address         string
	list, remove, noCheck bool
}

func configureCommand(options *Options) *cobra.Command {
	o := &configureOptions{connection: connection{o: options}}
	c := &cobra.Command{
		Use: "configure [--profile NAME] [--url URL]", Short: "Store a service URL and an API key as a profile",
		Long: `Store the URL and the API key of a service as a profile for the other commands.
They use the profile "default", or another one that you name with --profile or
GRIOT_PROFILE. On a terminal, the command asks for the key without showing it.
Otherwise, it reads the key from standard input. The profile is stored in a file
of your configuration directory that only you can read.`,
		Example: `  griot configure --url https://api.example.com
  griot configure --profile shop --url https://api.example.com < key.txt
  griot configure --list
  griot configure --remove --profile shop`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return o.run(c) },
	}
	f := c.Flags()
	f.SortFlags = false
	f.StringVar(&o.name, "profile", profile.Default, "name of the profile")
	f.StringVar(&o.address, "url", "", "URL of the service: https://api.example.com")
	f.BoolVar(&o.noCheck, "no-check", false, "store the key without checking it with the service")
	f.BoolVar(&o.list, "list", false, "list the profiles")
	f.BoolVar(&o.remove, "remove", false, "remove the profile")
	f.BoolVar(&o.json, "json", false, "print JSON, including errors")
	_ = c.RegisterFlagCompletionFunc("profile", completeProfiles)
	return c
}

func (o *configureOptions) run(c *cobra.Command) error {
	store, err := profile.Open()
	if err != nil {
		return err
	}
	if err := profile.CheckName(o.name); err != nil {
		return exit.Usage("--profile: %w", err)
	}
	switch {
	case o.list && o.remove:
		return exit.Usage("use either --list or --remove")
	case o.list:
		return o.show(c.OutOrStdout(), store)
	case o.remove:
		err := store.Remove(o.name)
		if errors.Is(err, profile.ErrNone) {
			return exit.Usage("%w %q", err, o.name)
		}
		return err
	}
	p, err := o.ask(c)
	if err != nil {
		return err
	}
	var key *griot.KeyInfo
	if !o.noCheck {
		if key, err = o.check(c, p); err != nil {
			return err
		}
	}
	path, err := store.Save(o.name, p)
	if err != nil {
		return err
	}
	if o.json {
		return json.NewEncoder(c.OutOrStdout()).Encode(map[string]any{"success": true, "profile": o.name, "url": p.URL, "file": path})
	}
	return console.Columns(c.OutOrStdout(), func(w io.Writer) {
		console.Row(w, "profile", o.name)
		console.Row(w, "file", path)
		if key != nil {
			o.showKey(w, key)
		}
	})
}

// ask prompts for the address and the key.
func (o *configureOptions) ask(c *cobra.Command) (profile.Profile, error) {
	p := profile.Profile{URL: o.address}
	in := c.InOrStdin()
	if p.URL == "" && console.AsksPeople(in) {
		_, _ = fmt.Fprintf(c.ErrOrStderr(), "URL of the service [%s]: ", defaultAPI)
		answer, err := console.Answer(in)
		if err != nil {
			return p, exit.Usage("nothing was stored: %w", err)
		}
		if p.URL = answer; p.URL == "" {
			p.URL = defaultAPI
		}
	}
	var ok bool
	if p.URL, ok = visible.Address(p.URL); !ok {
		return p, exit.Usage("the URL must not contain invisible characters: type it")
	}
	if p.URL == "" {
		return p, exit.Usage("--url is missing: give the URL of the service")
	}
	if _, err := griot.New(p.URL, "svc_live_x", griot.Options{}); err != nil { // before asking for a key
		return p, calledWrongly(err)
	}
	if unencrypted(p.URL) {
		fmt.Fprintln(c.ErrOrStderr(), "griot: note: with http://, anyone on the network path can read the key; use https://")
	}
	key, err := console.Secret(c.Context(), in, c.ErrOrStderr(), "API key (not shown): ", maxKey)
	if err == nil && key == "" {
		err = errors.New("standard input contains no key")
	}
	if err != nil {
		return p, exit.Usage("nothing was stored: %w", err)
	}
	p.Key = key
	return p, nil
}

// unencrypted reports whether traffic to an address can be read on the network.
func unencrypted(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback())
}

// check requests the key's information from the service.
func (o *configureOptions) check(c *cobra.Command, p profile.Profile) (*griot.KeyInfo, error) {
	api, err := o.clientOf(service{p.URL, p.Key, "the profile " + o.name}, griot.Options{})
	if err != nil {
		return nil, err
	}
	key, err := api.DescribeKey(c.Context())
	if griot.IsCode(err, "not_found") { // an older service doesn't have this endpoint
		return nil, nil //nolint:nilnil // the key may work
	}
	if err != nil {
		return nil, fmt.Errorf("nothing was stored (to store the key without a check, use --no-check): %w", o.failed(err))
	}
	return key, nil
}

// show lists the profiles without their keys.
func (o *configureOptions) show(w io.Writer, store profile.Store) error {
	names, err := store.Names()
	if err != nil {
		return err
	}
	t := console.Table{Head: []string{"PROFILE", "SERVICE"}}
	for _, name := range names {
		p, err := store.Load(name)
		at := p.URL
		if err != nil {
			at = err.Error()
		}
		if o.json {
			if err := json.NewEncoder(w).Encode(map[string]string{"profile": name, "url": at}); err != nil {
				return err
			}
		}
		t.Add(name, at)
	}
	if o.json {
		return nil
	}
	return t.Write(w)
}
