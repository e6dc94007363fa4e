package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"example.com/griot/cmd/griot/console"
	messagingadmin "example.com/griot/messaging/admin"
	"github.com/spf13/cobra"
)

func adminGateways(o *adminOptions) *cobra.Command {
	return group("gateways", "Connections to providers: those of the configuration, and those in the database",
		gatewaysAdd(o), gatewaysList(o), gatewaysTest(o), gatewaysSet(o), gatewaysRemove(o))
}

func showGateways(w io.Writer, all []messagingadmin.Gateway) {
	console.Row(w, "GATEWAY", "KIND", "FROM", "STATE", "CHANNELS", "SENDERS", "DROPPED", "FAILURES", "LAST ERROR")
	for _, g := range all {
		var senders []string
		for _, s := range g.Senders {
			text := s.Channel + " " + s.Address
			if s.State != "" {
				text += " (" + shownConnection(s.Connection) + ")"
			}
			senders = append(senders, text)
		}
		state := g.State
		if g.Problem != "" {
			state += ": " + g.Problem
		}
		if g.FailingAt != nil {
			state += ", failing since " + g.FailingAt.UTC().Format(time.RFC3339)
		}
		last := ""
		if e := g.LastError; e != nil {
			last = strings.Join(slices.DeleteFunc([]string{e.At.UTC().Format(time.RFC3339), e.Code, e.ProviderCode, e.Cause}, func(s string) bool { return s == "" }), " ")
			last = strings.Join(strings.Fields(last), " ") // in one line
		}
		console.Row(w, g.Name, g.Kind, g.From, state, strings.Join(g.Channels, ","), strings.Join(senders, ", "), g.Dropped, g.Failures, last)
	}
}

// shownConnection is a state with its reason, and until when it holds.
func shownConnection(c messagingadmin.Connection) string {
	text := c.State
	if c.Reason != "" && c.Reason != c.State {
		text += ": " + c.Reason
	}
	if c.Until != nil {
		text += ", until " + c.Until.UTC().Format(time.RFC3339)
	}
	return text
}

func showGateway(w io.Writer, g messagingadmin.Gateway) { showGateways(w, []messagingadmin.Gateway{g}) }

func gatewaysAdd(o *adminOptions) *cobra.Command {
	in, file := messagingadmin.GatewayInput{}, ""
	c := &cobra.Command{
		Use: "add NAME --kind KIND --settings FILE", Short: "Store a gateway, and open it in the running server", Args: exactlyOne("NAME"),
		RunE: func(c *cobra.Command, args []string) (err error) {
			in.Name = args[0]
			if in.Settings, err = readSettings(c, file); err != nil {
				return err
			}
			return runVerb(c, o, "gateways.add", in, showGateway)
		},
	}
	c.Flags().StringVar(&in.Kind, "kind", "", "what kind of gateway it is: smtp, smpp, cloudapi, ...")
	c.Flags().StringVar(&file, "settings", "", "a file with the kind's settings, YAML or JSON; - is standard input")
	required(c, "kind", "settings")
	return c
}

func gatewaysSet(o *adminOptions) *cobra.Command {
	in, file := messagingadmin.GatewayInput{}, ""
	c := &cobra.Command{
		Use: "set NAME --settings FILE", Short: "Replace the settings of a stored gateway; messages under way end with the ones before", Args: exactlyOne("NAME"),
		RunE: func(c *cobra.Command, args []string) (err error) {
			in.Name = args[0]
			if in.Settings, err = readSettings(c, file); err != nil {
				return err
			}
			return runVerb(c, o, "gateways.set", in, showGateway)
		},
	}
	c.Flags().StringVar(&file, "settings", "", "a file with all of the kind's settings, YAML or JSON; - is standard input")
	required(c, "settings")
	return c
}

func gatewaysList(o *adminOptions) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the gateways, with the senders that live on them", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return runVerb(c, o, "gateways.list", messagingadmin.Nothing{}, showGateways)
		},
	}
}

func gatewaysTest(o *adminOptions) *cobra.Command {
	return &cobra.Command{
		Use: "test NAME", Short: "Make a round trip to a gateway that sends no message", Args: exactlyOne("NAME"),
		RunE: func(c *cobra.Command, args []string) error {
			tested, err := verbResult(c, o, "gateways.test", messagingadmin.ByName{Name: args[0]}, func(w io.Writer, t messagingadmin.Tested) {
				console.Row(w, "gateway", t.Name)
				console.Row(w, "kind", t.Kind)
				if t.State != "" {
					console.Row(w, "state", t.State)
				}
				console.Row(w, "result", map[string]string{
					messagingadmin.TestPassed: "it answers, and accepts the credentials", messagingadmin.TestFailed: "failed",
					messagingadmin.TestNoProbe: "its driver has no round trip that sends nothing",
				}[t.Result])
			})
			if err == nil && tested.Result == messagingadmin.TestFailed {
				err = fmt.Errorf("%s: %s", args[0], tested.Problem)
			}
			return err
		},
	}
}

func gatewaysRemove(o *adminOptions) *cobra.Command {
	return &cobra.Command{
		Use: "remove NAME", Short: "Remove a stored gateway on which no sender lives; messages under way end first", Args: exactlyOne("NAME"),
		RunE: func(c *cobra.Command, args []string) error {
			return runVerb(c, o, "gateways.remove", messagingadmin.ByName{Name: args[0]}, func(w io.Writer, d messagingadmin.ByName) { console.Row(w, "removed", d.Name) })
		},
	}
}

const maxSettings = 256 << 10 // bytes

// readSettings reads a kind's settings, which are a mapping. Its errors show nothing of them.
func readSettings(c *cobra.Command, file string) (json.RawMessage, error) {
	from := c.InOrStdin()
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer func() { _ = f.Close() }()
		from = f
	}
	b, err := io.ReadAll(io.LimitReader(from, maxSettings+1))
	if err != nil {
		return nil, err
	}
	if len(b) > maxSettings {
		return nil, errors.New("the settings are too long")
	}
	return messagingadmin.ParseSettings(b)
}
