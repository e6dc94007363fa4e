package admin

import (
	"context"
	"errors"
	"slices"
	"strings"

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
	Mail      *mail.Service // nil if no server runs
	Gateways  *gatewaystore.Store
	Engine    *delivery.Service // changes messages that wait for a removed sender
	Pairing   *pairing.Service  // nil if no server runs
	URL       string            // the API's base URL
}

// Table returns the verbs of the messaging service, in the order of their commands. They are not bound to a service yet.
func Table() admin.Verbs {
	return slices.Concat(directoryVerbs(), webhookVerbs(), otpVerbs(), auditVerbs(), messageVerbs(), peopleVerbs(), healthVerbs(), sendingVerbs())
}

// Verbs returns the verbs for the directory.
func Verbs(o Options) admin.Verbs { return byOperator(&service{o}, directoryVerbs()) }

const (
	roles = "Invite somebody by email, for seven days; the link is printed when no email can be sent.\n\n" +
		"A developer works on projects: their logs and statistics, keys of them, simulated messages.\n" +
		"A viewer reads: all logs without the texts of conversations, and statistics; and changes nothing.\n" +
		"The owner, whose address is the account's, may do everything. docs/team.md has the whole."
	removal = "Remove a sender. While messages wait for it, this is refused with their number, unless a flag says what becomes of them. On a busy deployment, pause the sender first."
)

func directoryVerbs() admin.Verbs {
	return admin.Verbs{
		admin.Define("accounts.create", "Make an account", admin.Changes, (*service).createAccount),
		admin.Define("accounts.list", "List the accounts", admin.Reads, (*service).listAccounts),
		admin.Define("accounts.find", "Find accounts, the newest first", admin.Reads, (*service).findAccounts).As(""),
		admin.Define("accounts.show", "Show an account", admin.Reads, ofAccount((*service).showAccount)),
		admin.Define("accounts.set", "Change an account", admin.Changes, ofAccount((*service).setAccount)),
		admin.Define("accounts.reopen", "Open an account again that its owner has closed, within 30 days", admin.Changes, ofAccount((*service).reopenAccount)),
		admin.Define("accounts.suspend", "Suspend an account: its keys are refused, and nothing is sent", admin.Changes, ofAccount((*service).suspendAccount)),
		admin.Define("accounts.resume", "End an account's suspension: what waits is sent", admin.Changes, ofAccount((*service).resumeAccount)),
		admin.Define("accounts.delete", "Close an account, whose data is erased after 30 days; until then accounts reopen opens it again", admin.Deletes, ofAccount((*service).deleteAccount)),

		admin.Define("api-keys.create", "Make a key, which is printed once; the others go on working", admin.Changes, ofAccount((*service).createKey)),
		admin.Define("api-keys.list", "List an account's keys, by how they begin", admin.Reads, ofAccount((*service).listKeys)),
		admin.Define("api-keys.revoke", "End a key", admin.Changes, ofAccount((*service).revokeKey)),

		admin.Define("projects.create", "Make a project", admin.Changes, ofAccount((*service).createProject)),
		admin.Define("projects.list", "List an account's projects", admin.Reads, ofAccount((*service).listProjects)),
		admin.Define("projects.rename", "Give a project another name", admin.Changes, ofAccount((*service).renameProject)),
		admin.Define("projects.delete", "Delete a project and revoke its keys; its messages stay the account's", admin.Deletes, ofAccount((*service).deleteProject)),

		admin.Define("members.invite", "Invite somebody by email; the link is printed when no email can be sent", admin.Changes, ofAccount((*service).invite)).Explained(roles),
		admin.Define("members.list", "List an account's members, and who is invited", admin.Reads, ofAccount((*service).listMembers)),
		admin.Define("members.remove", "Remove a member, the project keys that they made, and their sessions; or take an invitation back", admin.Changes, ofAccount((*service).removeMember)),

		admin.Define("gateways.add", "Store a gateway, and open it in the running server", admin.Changes, (*service).addGateway),
		admin.Define("gateways.list", "List the gateways, with the senders that live on them", admin.Reads, (*service).listGateways),
		admin.Define("gateways.kinds", "List the kinds of gateways, with the settings that a form asks for", admin.Reads, (*service).listKinds).As(""),
		admin.Define("gateways.try", "Test the settings of a gateway without storing them", admin.Reads, (*service).tryGateway).As(""),
		admin.Define("gateways.test", "Make a round trip to a gateway that sends no message", admin.Reads, (*service).testGateway),
		admin.Define("gateways.set", "Replace the settings of a stored gateway; messages under way end with the ones before", admin.Changes, (*service).setGateway),
		admin.Define("gateways.remove", "Remove a stored gateway on which no sender lives; messages under way end first", admin.Changes, (*service).removeGateway),

		admin.Define("senders.add", "Add a sender to an account, or without one to the platform", admin.Changes, (*service).addSender),
		admin.Define("senders.list", "List the senders of an account, in the order of their positions", admin.Reads, (*service).listSenders).As(""),
		admin.Define("senders.find", "List all senders, newest first, the platform's too; or those of an account, in the order of their positions", admin.Reads, (*service).findSenders).As("senders list"),
		admin.Define("senders.show", "Show a sender", admin.Reads, (*service).showSender).As(""),
		admin.Define("senders.warm", "Let a sender begin slowly from today, or let it go at once", admin.Changes, (*service).setWarmUp).As("senders warm-up"),
		admin.Define("senders.pause", "Let a sender send nothing until it is resumed; routes skip it", admin.Changes, (*service).pauseSender),
		admin.Define("senders.resume", "Let a paused sender send again", admin.Changes, (*service).resumeSender),
		admin.Define("senders.remove", "Remove a sender", admin.Changes, (*service).removeSender).Explained(removal),
		admin.Define("senders.pair", "Begin to link a sender's number to a phone", admin.Changes, (*service).startPairing).As(""),
		admin.Define("senders.pairing", "Show how far the pairing of a sender's number is", admin.Reads, (*service).showPairing).As(""),
		admin.Define("senders.pair-cancel", "Cancel the pairing of a sender's number", admin.Changes, (*service).cancelPairing).As(""),

		admin.Define("requests.list", "List the open requests of accounts, newest first", admin.Reads, (*service).listRequests),
		admin.Define("requests.done", "Mark a request as done, and mail the account's owner", admin.Changes, (*service).requestDone),
		admin.Define("requests.decline", "Decline a request, and mail the account's owner", admin.Changes, (*service).declineRequest),

		admin.Define("plans.list", "List the plans, the smallest first; a dash is no limit", admin.Reads, (*service).listPlans),
		admin.Define("plans.set", "Change a plan, for every account that is on it; 0 is no limit", admin.Changes, (*service).setPlan),
	}
}

type service struct{ Options }

// OfAccount identifies an account by its ID or its owner's address.
type OfAccount struct {
	Account string `json:"account" flag:"account,required" help:"an account's id, or its owner's email address"`
}

func (o OfAccount) account() string { return o.Account }

// OneAccount is the input of a verb for a single account.
type OneAccount struct {
	Account string `json:"account" arg:"ACCOUNT" help:"an account's id, or its owner's email address"`
}

func (o OneAccount) account() string { return o.Account }

// ofAccount returns the method of a verb for a single account. It calls do with the account that the input identifies.
func ofAccount[S accounts, In interface{ account() string }, Out any](do func(S, context.Context, *account.Account, *In) (Out, error)) func(S, context.Context, *In) (Out, error) {
	return func(s S, ctx context.Context, in *In) (none Out, err error) {
		a, err := s.existing(ctx, (*in).account())
		if err != nil {
			return none, err
		}
		return do(s, ctx, a, in)
	}
}

// accounts finds accounts by an operator's input.
type accounts interface {
	existing(ctx context.Context, name string) (*account.Account, error)
}

// Nothing is the input of a verb without input.
type Nothing struct{}

// Done identifies the revoked or removed item.
type Done struct {
	ID string `json:"id" row:"revoked"`
}

// existing finds an account by an operator's input.
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
		return nil, noAccount()
	}
	a, err := h.Directory.StoredAccount(ctx, id) // because versions are those of the stored values
	if err == nil && a == nil {
		err = noAccount()
	}
	return a, err
}

func noAccount() error { return admin.Refuse("There is no such account.") }

const maxName = 100 // in characters

// named checks a name.
func named(of, name string) (string, error) {
	name = strings.TrimSpace(name)
	if name == "" || !visible.Name(name, maxName) {
		return "", admin.Refuse("%s's name has 1 to %d characters, all of which are visible.", of, maxName)
	}
	return name, nil
}

// namedAccount is like named, for an account, whose name appears in mails to others.
func namedAccount(name string) (string, error) {
	name, err := named("An account", name)
	if err == nil && visible.HasAddress(name) {
		return "", admin.Refuse("An account's name has no address of a page: no ://, www., or path.")
	}
	return name, err
}

// refused converts a refusal of the directory or of the gateways' store to a text for operators.
func refused(err error) error {
	if errors.Is(err, stale.Err) {
		return admin.RefuseStale()
	}
	if wrong, ok := errors.AsType[*gatewaystore.SettingsError](err); ok {
		return admin.Refuse("The settings can't be used: %s", wrong.Err)
	}
	for _, line := range []struct {
		err  error
		text string
	}{
		{account.ErrNoPlan, "There is no such plan."},
		{account.ErrEmailTaken, "This email address is another account's."},
		{account.ErrSenderTaken, "This address is a sender already."},
		{account.ErrNoGateway, "The gateway was removed meanwhile."},
		{account.ErrTooMany, "The account has as many of these as it can have."},
		{account.ErrKeyKind, "A project key, and no other, has a project."},
		{account.ErrNoProject, "The account has no such project."},
		{account.ErrClosed, "The account is closed."},
		{account.ErrNotClosed, "The account is not closed, or its time is over: it is being erased."},
		{account.ErrNoMember, "The account has no such member."},
		{account.ErrAlreadyMember, "This address belongs to the account already."},
		{gatewaystore.ErrName, "A gateway's name is made of 1 to 64 letters, digits, -, and _."},
		{gatewaystore.ErrConfigured, "The configuration has a gateway of this name: change it there."},
		{gatewaystore.ErrTaken, "There is a gateway of this name already: gateways set changes it."},
		{gatewaystore.ErrInUse, "Senders live on this gateway: remove them first (gateways list shows them)."},
		{gatewaystore.ErrNotFound, "No gateway of this name is stored."},
	} {
		if errors.Is(err, line.err) {
			return admin.Refuse("%s", line.text)
		}
	}
	return err
}
