package main

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"example.com/griot/internal/clock"
	messagingverbs "example.com/griot/messaging/verbs"
)

// calls makes a command run a verb other than its own, depending on its input.
func (m *verbCommand) calls(other string, in func() (any, bool)) {
	run := m.RunE
	m.RunE = func(c *cobra.Command, args []string) error {
		given, is := in()
		if !is {
			return run(c, args)
		}
		_, raw, err := callVerb[json.RawMessage](c.Context(), m.o, other, given)
		if err != nil {
			return err
		}
		return showResult(c, m.o, messagingverbs.Table().Find(other).Out, raw)
	}
}

// findsAccounts adds --find.
func findsAccounts(_ *adminOptions, m *verbCommand) {
	in := messagingverbs.AccountSearch{Limit: 1000}
	m.Flags().StringVar(&in.Text, "find", "", "ID, or part of a name or email address; newest first, at most 1000")
	m.calls("accounts.find", func() (any, bool) { return in, in.Text != "" })
}

// listsOfAccount adds --account, and a note if there are more rows.
func listsOfAccount(o *adminOptions, m *verbCommand) {
	of := messagingverbs.OfAccount{}
	m.Flags().StringVar(&of.Account, "account", "", "account ID, or its owner's email address (default: all accounts)")
	for _, flag := range []string{"find", "limit", "before"} {
		m.MarkFlagsMutuallyExclusive("account", flag)
	}
	m.calls("senders.list", func() (any, bool) { return of, of.Account != "" })
	m.after = func(c *cobra.Command, raw []byte) error {
		var page messagingverbs.SenderPage
		if err := json.Unmarshal(raw, &page); err != nil || page.Next == "" || o.json {
			return err
		}
		_, err := fmt.Fprintln(c.ErrOrStderr(), "There are more. To continue, add --before "+page.Next)
		return err
	}
}

func cancelsOrReroutes(_ *adminOptions, m *verbCommand) {
	m.MarkFlagsMutuallyExclusive("cancel", "reroute")
}

// endsWarmUp adds --off.
func endsWarmUp(_ *adminOptions, m *verbCommand) {
	m.Flags().Bool("off", false, "end the sender's warm-up") // without numbers, there is no warm-up
	m.MarkFlagsOneRequired("warm-up", "off")
	m.MarkFlagsMutuallyExclusive("warm-up", "off")
}

// failsAsItsTest makes the command of a failed test end with the test's problem.
func failsAsItsTest(_ *adminOptions, m *verbCommand) {
	m.after = func(_ *cobra.Command, raw []byte) error {
		var t messagingverbs.Tested
		if err := json.Unmarshal(raw, &t); err != nil || t.Result != messagingverbs.TestFailed {
			return err
		}
		return fmt.Errorf("%s: %s: %s (fix: %s)", t.Name, t.Text, t.Problem, t.Hint)
	}
}

// failsAsItsMessage makes the command of a test message that failed, or might have, end with the reason.
func failsAsItsMessage(_ *adminOptions, m *verbCommand) {
	m.after = func(_ *cobra.Command, raw []byte) error {
		var t messagingverbs.MessageTest
		if err := json.Unmarshal(raw, &t); err != nil {
			return err
		}
		switch t.Result {
		case messagingverbs.MessageFailed:
			return fmt.Errorf("%s: the message failed: %s %s (%s)", t.Gateway, t.Text, t.Hint, t.Codes())
		case messagingverbs.MessageUnknown:
			return fmt.Errorf("%s: the gateway hasn't answered, so the message might still arrive. Before you send another one, run griot admin messages show %s", t.Gateway, t.MessageID)
		}
		return nil
	}
}

const (
	rotationLook = time.Second
	rotationWait = 30 * time.Minute // after that, the rotation continues without the command
)

// awaitsRotation waits until the server has completed the rotation, which continues after its response.
func awaitsRotation(o *adminOptions, m *verbCommand) {
	m.after = func(c *cobra.Command, raw []byte) error {
		var s masterKeyState
		if err := json.Unmarshal(raw, &s); err != nil {
			return err
		}
		for until := clock.System().Add(rotationWait); s.FinishedAt == nil && clock.System().Before(until); {
			select {
			case <-c.Context().Done():
				return c.Context().Err()
			case <-time.After(rotationLook):
			}
			var err error
			if s, raw, err = o.servedRotation(c.Context()); err != nil {
				return err
			}
			if s.FinishedAt != nil {
				return showResult(c, o, m.verb.Out, raw)
			}
		}
		return nil
	}
}
