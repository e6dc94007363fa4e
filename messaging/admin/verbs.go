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
	"example.com/griot/messaging/closing"
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
	Closing   *closing.Service
	URL       string // the API's base URL

	LoginNumbers []string // the numbers that receive the words of logins, in digits
}

// Table returns the verbs of the messaging service, in the order of their commands. They are not bound to a service yet.
func Table() admin.Verbs {
	return slices.Concat(directoryVerbs(), webhookVerbs(), otpVerbs(), auditVerbs(), messageVerbs(), peopleVerbs(), healthVerbs(), sendingVerbs())
}

// Verbs returns the verbs for the directory.
func Verbs(o Options) admin.Verbs { return byOperator(&service{o}, directoryVerbs()) }

const (
	roles = "Invite a person by email. The invitation is valid for seven days. If no email can be sent, the link is printed.\n\n" +
		"A developer can use the logs, statistics, and keys of projects, and send simulated messages.\n" +
		"A viewer can read all logs without the texts of conversations, and statistics, but can't change anything.\n" +
		"The owner has the account's email address and can do everything. See docs/team.md for details."
	testMessage = "Send a test message through one of a gateway's senders, and by no other gateway. Griot sends it once, without retries, as a message of the platform, so it isn't in an account's log and uses no quota. " +
		"Opt-outs and pauses apply. With --idempotency-key, a repeated command sends nothing again."
	removal = "Remove a sender. If messages wait for it, the command fails unless you cancel or move them with a flag. On a busy deployment, pause the sender first."
)

func directoryVerbs() admin.Verbs {
	return admin.Verbs{
		admin.Define("accounts.create", "Create an account", admin.Changes, (*service).createAccount),
		admin.Define("accounts.list", "List the accounts", admin.Reads, (*service).listAccounts),
		admin.Define("accounts.find", "Find accounts, newest first", admin.Reads, (*service).findAccounts).As(""),
		admin.Define("accounts.show", "Show an account", admin.Reads, ofAccount((*service).showAccount)),
		admin.Define("accounts.set", "Change an account", admin.Changes, ofAccount((*service).setAccount)),
		admin.Define("accounts.reopen", "Reopen a closed account", admin.Changes, ofAccount((*service).reopenAccount)).Explained("Reopen an account that was closed less than 30 days ago. Its keys stay revoked."),
		admin.Define("accounts.suspend", "Suspend an account", admin.Changes, ofAccount((*service).suspendAccount)).Explained("Suspend an account. Its keys and members are refused, and nothing is sent until you resume it."),
		admin.Define("accounts.resume", "Resume a suspended account", admin.Changes, ofAccount((*service).resumeAccount)).Explained("Resume a suspended account. Its waiting messages are sent."),
		admin.Define("accounts.delete", "Close an account and erase its data after 30 days", admin.Deletes, ofAccount((*service).deleteAccount)).Explained("Close an account, and erase its data after 30 days. Until then, griot admin accounts reopen can reopen it."),

		admin.Define("api-keys.create", "Create an API key", admin.Changes, ofAccount((*service).createKey)).Explained("Create an API key, and print it once. The account's other keys continue to work."),
		admin.Define("api-keys.list", "List an account's keys", admin.Reads, ofAccount((*service).listKeys)).Explained("List an account's keys by their first characters."),
		admin.Define("api-keys.set", "Set the tools of a key for assistants", admin.Changes, ofAccount((*service).setKey)).Explained("Replace the tools that a live key has at the assistant endpoint, in addition to the four that every live key has. Without --tool, it has no more. See docs/assistant.md."),
		admin.Define("api-keys.revoke", "Revoke an API key", admin.Changes, ofAccount((*service).revokeKey)),

		admin.Define("projects.create", "Create a project", admin.Changes, ofAccount((*service).createProject)),
		admin.Define("projects.list", "List an account's projects", admin.Reads, ofAccount((*service).listProjects)),
		admin.Define("projects.rename", "Rename a project", admin.Changes, ofAccount((*service).renameProject)),
		admin.Define("projects.delete", "Delete a project and revoke its keys", admin.Deletes, ofAccount((*service).deleteProject)).Explained("Delete a project and revoke its keys. The account keeps the project's messages."),

		admin.Define("members.invite", "Invite a person by email", admin.Changes, ofAccount((*service).invite)).Explained(roles),
		admin.Define("members.list", "List an account's members and invitations", admin.Reads, ofAccount((*service).listMembers)),
		admin.Define("members.remove", "Remove a member, or withdraw an invitation", admin.Changes, ofAccount((*service).removeMember)).Explained("Remove a member with their sessions and the project keys that they created, or withdraw an invitation."),

		admin.Define("gateways.add", "Store a gateway and open it in the running server", admin.Changes, (*service).addGateway),
		admin.Define("gateways.list", "List the gateways with their senders", admin.Reads, (*service).listGateways),
		admin.Define("gateways.kinds", "List the kinds of gateways with their settings", admin.Reads, (*service).listKinds).As(""),
		admin.Define("gateways.settings", "Show the settings of a stored gateway for its form, without secrets", admin.Reads, (*service).storedSettings).As(""),
		admin.Define("gateways.try", "Test the settings of a gateway without storing them", admin.Reads, (*service).tryGateway).As(""),
		admin.Define("gateways.test", "Test a gateway without sending a message", admin.Reads, (*service).testGateway),
		admin.Define("gateways.send-test", "Send a test message through a gateway", admin.Changes, (*service).sendTest).Explained(testMessage),
		admin.Define("gateways.set", "Replace the settings of a stored gateway", admin.Changes, (*service).setGateway).Explained("Replace the settings of a stored gateway. Messages in progress finish with the old settings."),
		admin.Define("gateways.remove", "Remove a stored gateway", admin.Changes, (*service).removeGateway).Explained("Remove a stored gateway that no sender uses. Messages in progress finish first."),

		admin.Define("senders.add", "Add a sender to an account or to the platform", admin.Changes, (*service).addSender).Explained("Add a sender to an account. Without --account, the sender belongs to the platform."),
		admin.Define("senders.list", "List the senders of an account by position", admin.Reads, (*service).listSenders).As(""),
		admin.Define("senders.find", "List senders, newest first", admin.Reads, (*service).findSenders).As("senders list").Explained("List all senders, newest first, including those of the platform. With --account, list an account's senders in the order of their positions."),
		admin.Define("senders.show", "Show a sender", admin.Reads, (*service).showSender).As(""),
		admin.Define("senders.warm", "Set or end the daily limit of a new sender", admin.Changes, (*service).setWarmUp).As("senders warm-up").Explained("Limit a new sender: it can send a set number of messages today, and twice as many each day after. With --off, end the limit."),
		admin.Define("senders.pause", "Pause a sender", admin.Changes, (*service).pauseSender).Explained("Pause a sender. It sends nothing until you resume it, and routes skip it."),
		admin.Define("senders.resume", "Resume a paused sender", admin.Changes, (*service).resumeSender),
		admin.Define("senders.remove", "Remove a sender", admin.Changes, (*service).removeSender).Explained(removal),
		admin.Define("senders.pair", "Start to link a sender's number to a phone", admin.Changes, (*service).startPairing).As(""),
		admin.Define("senders.pairing", "Show the progress of linking a sender's number", admin.Reads, (*service).showPairing).As(""),
		admin.Define("senders.pair-cancel", "Cancel the linking of a sender's number", admin.Changes, (*service).cancelPairing).As(""),

		admin.Define("requests.list", "List the accounts' open requests, newest first", admin.Reads, (*service).listRequests),
		admin.Define("requests.done", "Mark a request as done and email the account's owner", admin.Changes, (*service).requestDone),
		admin.Define("requests.decline", "Decline a request and email the account's owner", admin.Changes, (*service).declineRequest),

		admin.Define("plans.list", "List the plans, smallest first", admin.Reads, (*service).listPlans).Explained("List the plans, smallest first. A dash means no limit."),
		admin.Define("plans.set", "Change a plan", admin.Changes, (*service).setPlan).Explained("Change a plan for every account on it. 0 means no limit."),
	}
}

type service struct{ Options }

// OfAccount identifies an account by its ID or its owner's address.
type OfAccount struct {
	Account string `json:"account" flag:"account,required" help:"account ID, or its owner's email address"`
}

func (o OfAccount) account() string { return o.Account }

// OneAccount is the input of a verb for a single account.
type OneAccount struct {
	Account string `json:"account" arg:"ACCOUNT" help:"account ID, or its owner's email address"`
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

func noAccount() error { return admin.Refuse("The account doesn't exist.") }

const maxName = 100 // in characters

// named checks a name.
func named(of, name string) (string, error) {
	name = strings.TrimSpace(name)
	if name == "" || !visible.Name(name, maxName) {
		return "", admin.Refuse("%s's name must have 1 to %d visible characters.", of, maxName)
	}
	return name, nil
}

// namedAccount is like named, for an account, whose name appears in mails to others.
func namedAccount(name string) (string, error) {
	name, err := named("An account", name)
	if err == nil && visible.HasAddress(name) {
		return "", admin.Refuse("An account's name can't contain a web address: no ://, www., or path.")
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
		{account.ErrNoPlan, "The plan doesn't exist."},
		{account.ErrEmailTaken, "Another account has this email address."},
		{account.ErrSenderTaken, "This address is already a sender."},
		{account.ErrSenderElsewhere, "Another account has this number on another channel. To give it to both, confirm that they share it (--shared)."},
		{account.ErrNoGateway, "The gateway was removed in the meantime."},
		{account.ErrTooMany, "The account has the maximum number of these."},
		{account.ErrKeyKind, "A project key needs a project. Other keys can't have one."},
		{account.ErrNoProject, "The account doesn't have this project."},
		{account.ErrClosed, "The account is closed."},
		{account.ErrNotClosed, "The account isn't closed, or it is already being erased."},
		{account.ErrNoMember, "The account doesn't have this member."},
		{account.ErrAlreadyMember, "This address already belongs to the account."},
		{gatewaystore.ErrName, "A gateway's name must have 1 to 64 letters, digits, hyphens (-), or underscores (_)."},
		{gatewaystore.ErrConfigured, "The configuration has a gateway with this name. Change it there."},
		{gatewaystore.ErrTaken, "A gateway with this name already exists. To change it, use griot admin gateways set."},
		{gatewaystore.ErrInUse, "Senders use this gateway. Remove them first (griot admin gateways list shows them)."},
		{gatewaystore.ErrNotFound, "No stored gateway has this name."},
	} {
		if errors.Is(err, line.err) {
			return admin.Refuse("%s", line.text)
		}
	}
	return err
}
