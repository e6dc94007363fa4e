package admin

import (
	"context"
	"errors"
	"strings"
	"time"

	"example.com/griot/gateway/gatewaystore"
	"example.com/griot/internal/admin"
	"example.com/griot/internal/stale"
	"example.com/griot/internal/visible"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/mail"
	"example.com/griot/messaging/pairing"
)

// Options configure the verbs.
type Options struct {
	Directory *account.Directory
	Mail      *mail.Service // nil where no server runs
	Gateways  *gatewaystore.Store
	Engine    *delivery.Service // changes messages that wait for a sender that is removed
	Pairing   *pairing.Service  // nil where no server runs
	URL       string            // the API's base address
}

// Verbs returns the table of the messaging service.
func Verbs(o Options) admin.Verbs {
	h := &service{o}
	return byOperator(admin.Verbs{
		"plans.list": admin.Do(h.listPlans),
		"plans.set":  admin.Do(h.setPlan),

		"accounts.create": admin.Do(h.createAccount),
		"accounts.list":   admin.Do(h.listAccounts),
		"accounts.find":   admin.Do(h.findAccounts),
		"accounts.show":   admin.Do(h.showAccount),
		"accounts.set":    admin.Do(h.setAccount),
		"accounts.reopen": admin.Do(h.reopenAccount),
		"accounts.delete": admin.Do(h.deleteAccount),

		"api-keys.create": admin.Do(h.createKey),
		"api-keys.list":   admin.Do(h.listKeys),
		"api-keys.revoke": admin.Do(h.revokeKey),

		"projects.create": admin.Do(h.createProject),
		"projects.list":   admin.Do(h.listProjects),
		"projects.rename": admin.Do(h.renameProject),
		"projects.delete": admin.Do(h.deleteProject),

		"members.invite": admin.Do(h.invite),
		"members.list":   admin.Do(h.listMembers),
		"members.remove": admin.Do(h.removeMember),

		"gateways.add":    admin.Do(h.addGateway),
		"gateways.list":   admin.Do(h.listGateways),
		"gateways.test":   admin.Do(h.testGateway),
		"gateways.set":    admin.Do(h.setGateway),
		"gateways.remove": admin.Do(h.removeGateway),

		"senders.add":    admin.Do(h.addSender),
		"senders.list":   admin.Do(h.listSenders),
		"senders.find":   admin.Do(h.findSenders),
		"senders.show":   admin.Do(h.showSender),
		"senders.pause":  admin.Do(h.pauseSender),
		"senders.resume": admin.Do(h.resumeSender),
		"senders.warm":   admin.Do(h.setWarmUp),
		"senders.remove": admin.Do(h.removeSender),

		"senders.pair":        admin.Do(h.startPairing),
		"senders.pairing":     admin.Do(h.showPairing),
		"senders.pair-cancel": admin.Do(h.cancelPairing),
	})
}

type service struct{ Options }

// OfAccount names an account, by its id or by its owner's address.
type OfAccount struct {
	Account string `json:"account"`
}

// Nothing is the input of a verb that needs none.
type Nothing struct{}

// Done names what was revoked or removed.
type Done struct {
	ID string `json:"id"`
}

// existing finds the account that an operator names.
func (h *service) existing(ctx context.Context, name string) (*account.Account, error) {
	id := name
	if strings.Contains(name, "@") {
		found, err := h.Directory.ByEmail(ctx, name)
		if err != nil {
			return nil, err
		}
		id = found
	}
	if id == account.PlatformID {
		id = ""
	}
	a, err := h.Directory.StoredAccount(ctx, id) // versions are of what is stored
	if err == nil && a == nil {
		err = admin.Refuse("There is no such account.")
	}
	return a, err
}

const maxName = 100 // characters

// named checks a name.
func named(of, name string) (string, error) {
	name = strings.TrimSpace(name)
	if name == "" || !visible.Name(name, maxName) {
		return "", admin.Refuse("%s's name has 1 to %d characters, all of which are visible.", of, maxName)
	}
	return name, nil
}

// namedAccount is named for an account, whose name stands in mails to others.
func namedAccount(name string) (string, error) {
	name, err := named("An account", name)
	if err == nil && visible.HasAddress(name) {
		return "", admin.Refuse("An account's name has no address of a page: no ://, www. or path.")
	}
	return name, err
}

// refused returns the directory's refusal as a text for operators.
func refused(err error) error {
	if errors.Is(err, stale.Err) {
		return admin.RefuseStale()
	}
	for _, line := range []struct {
		err  error
		text string
	}{
		{account.ErrNoPlan, "There is no such plan."},
		{account.ErrEmailTaken, "This e-mail address is another account's."},
		{account.ErrSenderTaken, "This address is a sender already."},
		{account.ErrNoGateway, "The gateway was removed meanwhile."},
		{account.ErrTooMany, "The account has as many of these as it can have."},
		{account.ErrKeyKind, "A project key, and no other, has a project."},
		{account.ErrNoProject, "The account has no such project."},
		{account.ErrClosed, "The account is closed."},
		{account.ErrNotClosed, "The account is not closed, or its time is over: it is being erased."},
		{account.ErrNoMember, "The account has no such member."},
		{account.ErrAlreadyMember, "This address belongs to the account already."},
	} {
		if errors.Is(err, line.err) {
			return admin.Refuse("%s", line.text)
		}
	}
	return err
}

// timeOrNull returns nil for the zero time.
func timeOrNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// each converts a list. The result is never null in JSON.
func each[From, To any](list []From, show func(*From) To) []To {
	out := make([]To, 0, len(list))
	for i := range list {
		out = append(out, show(&list[i]))
	}
	return out
}
