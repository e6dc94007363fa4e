package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	authverbs "example.com/griot/auth/verbs"
	"example.com/griot/cmd/griot/console"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/whatsappid"
	messagingverbs "example.com/griot/messaging/verbs"
)

// personData is the data of both services about a person.
type personData struct {
	Address  string                      `json:"address"`
	Tenants  []authverbs.PersonData      `json:"tenants"`
	Accounts []messagingverbs.PersonData `json:"accounts"`
}

// personErasure is the data about a person that both services have erased.
type personErasure struct {
	Tenants  []authverbs.ErasedPerson       `json:"tenants"`
	Accounts []messagingverbs.PersonErasure `json:"accounts"`
}

const aPerson = "ADDRESS: a phone number with its country code, an email address, or a WhatsApp ID"

func peopleExport(o *adminOptions) *cobra.Command {
	var country countryFlag
	c := &cobra.Command{
		Use: "export ADDRESS", Short: "Print the data that both services store about a person", Args: exactlyOne(aPerson),
		RunE: func(c *cobra.Command, args []string) error {
			address, err := country.complete("ADDRESS", args[0], false)
			if err != nil {
				return err
			}
			out := personData{Address: address, Tenants: []authverbs.PersonData{}, Accounts: []messagingverbs.PersonData{}}
			err = eachOwner(c.Context(), o, address, func(in authverbs.PersonInput) (err error) {
				out.Tenants, err = resultOf[[]authverbs.PersonData](c.Context(), o, "people.export", in)
				return err
			}, func(in messagingverbs.PersonInput) error {
				has, err := resultOf[messagingverbs.PersonData](c.Context(), o, "accounts.people.export", in)
				if err == nil && string(has.Data) != "null" {
					out.Accounts = append(out.Accounts, has)
				}
				return err
			})
			if err != nil {
				return err
			}
			e := json.NewEncoder(c.OutOrStdout())
			e.SetIndent("", "  ")
			return e.Encode(out)
		},
	}
	country.add(c)
	return c
}

func peopleErase(o *adminOptions) *cobra.Command {
	var country countryFlag
	c := &cobra.Command{
		Use: "erase ADDRESS", Short: "Erase the data that both services store about a person", Args: exactlyOne(aPerson),
		RunE: func(c *cobra.Command, args []string) error {
			address, err := country.complete("ADDRESS", args[0], false)
			if err != nil {
				return err
			}
			out := personErasure{Tenants: []authverbs.ErasedPerson{}, Accounts: []messagingverbs.PersonErasure{}}
			err = eachOwner(c.Context(), o, address, func(in authverbs.PersonInput) (err error) {
				out.Tenants, err = resultOf[[]authverbs.ErasedPerson](c.Context(), o, "people.erase", in)
				return err
			}, func(in messagingverbs.PersonInput) error {
				e, err := untilErased(c.Context(), erasureWait, func() (messagingverbs.PersonErasure, error) {
					return resultOf[messagingverbs.PersonErasure](c.Context(), o, "accounts.people.erase", in)
				})
				if e.ID != "" && e.Done {
					out.Accounts = append(out.Accounts, e)
				}
				return err
			})
			if err != nil {
				return err
			}
			if o.json {
				return json.NewEncoder(c.OutOrStdout()).Encode(out)
			}
			return console.Columns(c.OutOrStdout(), func(w io.Writer) {
				console.Row(w, "ERASED FROM", "NAME", "MODE", "MESSAGES", "CANCELED", "RECEIVED", "EVENTS")
				for _, t := range out.Tenants {
					console.Row(w, "tenant "+t.TenantID, t.Tenant, t.Mode, "", "", "", "")
				}
				for _, a := range out.Accounts {
					console.Row(w, "account "+a.AccountID, a.Account, "", a.Messages, a.Canceled, a.Received, a.Events)
				}
			})
		},
	}
	country.add(c)
	return deleting(c, func(args []string) string { return "Erasing the data about " + args[0] })
}

const (
	erasureLook = time.Second
	erasureWait = time.Minute // without any progress; after that, it continues in the background
)

// untilErased continues an erasure in an account until it is done. It waits for messages to the person that are being
// submitted to a gateway. Messages that a dead process was submitting are left to the next server.
func untilErased(ctx context.Context, wait time.Duration, call func() (messagingverbs.PersonErasure, error)) (e messagingverbs.PersonErasure, err error) {
	for until := clock.System().Add(wait); ; {
		before := e
		if e, err = call(); err != nil || e.Done {
			return e, err
		}
		if e != before {
			until = clock.System().Add(wait)
		}
		if clock.System().After(until) {
			return e, fmt.Errorf("the erasure from the account %s waits for a message that is being submitted to a gateway; start the server, which completes the erasure, and then run the command again", e.AccountID)
		}
		select {
		case <-ctx.Done():
			return e, ctx.Err()
		case <-time.After(erasureLook):
		}
	}
}

// eachOwner requests a person's data: from all tenants in one call if the address is a number, and then account by
// account, so that no call takes long.
func eachOwner(ctx context.Context, o *adminOptions, address string, tenants func(authverbs.PersonInput) error, account func(messagingverbs.PersonInput) error) error {
	if !strings.Contains(address, "@") && !whatsappid.Is(address) {
		if err := tenants(authverbs.PersonInput{Phone: address}); err != nil {
			return err
		}
	}
	accounts, err := resultOf[[]messagingverbs.Account](ctx, o, "accounts.list", messagingverbs.Nothing{})
	if err != nil {
		return err
	}
	for _, a := range accounts {
		if err := account(messagingverbs.PersonInput{Account: a.ID, Address: address}); err != nil {
			return err
		}
	}
	return nil
}

// resultOf runs a verb and returns its result.
func resultOf[Out any](ctx context.Context, o *adminOptions, verb string, in any) (out Out, err error) {
	out, _, err = callVerb[Out](ctx, o, verb, in)
	return out, err
}
