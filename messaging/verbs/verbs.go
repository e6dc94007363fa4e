package verbs

import (
	"context"
	"errors"
	"slices"
	"strings"

	"example.com/griot/gateway/gatewaystore"
	"example.com/griot/internal/forms"
	"example.com/griot/internal/verb"
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
	Delivery  *delivery.Service // changes messages that wait for a removed sender
	Pairing   *pairing.Service  // nil if no server runs
	Closing   *closing.Service
	URL       string // the API's base URL

	LoginNumbers []string // the numbers that receive the words of logins, in digits
}

// Table returns the verbs of the messaging service, in the order of their commands. They are not bound to a service yet.
func Table() verb.Verbs {
	return slices.Concat(directoryVerbs(), webhookVerbs(), otpVerbs(), auditVerbs(), messageVerbs(), peopleVerbs(), healthVerbs(), sendingVerbs())
}

// Verbs returns the verbs for the directory.
func Verbs(o Options) verb.Verbs { return byOperator(&service{o}, directoryVerbs()) }

const (
	roles = "Invite a person by email. The invitation is valid for seven days. If no email can be sent, the link is printed.\n\n" +
		"A developer can use the logs, statistics, and keys of projects, and send simulated messages.\n" +
		"A viewer can read all logs without the texts of conversations, and statistics, but can't change anything.\n" +
		"The owner has the account's email address and can do everything. See docs/team.md for details."
	testMessage = "Send a test message through one of a gateway's senders, and by no other gateway. Griot sends it once, without retries, as a message of the platform, so it isn't in an account's log and uses no quota. " +
		"Opt-outs and pauses apply. With --idempotency-key, a repeated command sends nothing again."
	removal = "Remove a sender. If messages wait for it, the command fails unless you cancel or move them with a flag. On a busy deployment, pause the sender first."
)

func directoryVerbs() verb.Verbs {
	return verb.Verbs{
		verb.Define("accounts.create", "Create an account", verb.Changes, (*service).createAccount),
		verb.Define("accounts.list", "List the accounts", verb.Reads, (*service).listAccounts),
		verb.Define("accounts.find", "Find accounts, newest first", verb.Reads, (*service).findAccounts).As(""),
		verb.Define("accounts.show", "Show an account", verb.Reads, ofAccount((*service).showAccount)),
		verb.Define("accounts.set", "Change an account", verb.Changes, ofAccount((*service).setAccount)),
		verb.Define("accounts.reopen", "Reopen a closed account", verb.Changes, ofAccount((*service).reopenAccount)).Explained("Reopen an account that was closed less than 30 days ago. Its keys stay revoked."),
		verb.Define("accounts.suspend", "Suspend an account", verb.Changes, ofAccount((*service).suspendAccount)).Explained("Suspend an account. Its keys and members are refused, and nothing is sent until you resume it."),
		verb.Define("accounts.resume", "Resume a suspended account", verb.Changes, ofAccount((*service).resumeAccount)).Explained("Resume a suspended account. Its waiting messages are sent."),
		verb.Define("accounts.delete", "Close an account and erase its data after 30 days", verb.Deletes, ofAccount((*service).deleteAccount)).Explained("Close an account, and erase its data after 30 days. Until then, griot admin accounts reopen can reopen it."),

		verb.Define("api-keys.create", "Create an API key", verb.Changes, ofAccount((*service).createKey)).Explained("Create an API key, and print it once. The account's other keys continue to work."),
		verb.Define("api-keys.list", "List an account's keys", verb.Reads, ofAccount((*service).listKeys)).Explained("List an account's keys by their first characters."),
		verb.Define("api-keys.set", "Set the tools of a key for assistants", verb.Changes, ofAccount((*service).setKey)).Explained("Replace the tools that a live key has at the assistant endpoint, in addition to the four that every live key has. Without --tool, it has no more. See docs/assistant.md."),
		verb.Define("api-keys.revoke", "Revoke an API key", verb.Changes, ofAccount((*service).revokeKey)),

		verb.Define("projects.create", "Create a project", verb.Changes, ofAccount((*service).createProject)),
		verb.Define("projects.list", "List an account's projects", verb.Reads, ofAccount((*service).listProjects)),
		verb.Define("projects.rename", "Rename a project", verb.Changes, ofAccount((*service).renameProject)),
		verb.Define("projects.delete", "Delete a project and revoke its keys", verb.Deletes, ofAccount((*service).deleteProject)).Explained("Delete a project and revoke its keys. The account keeps the project's messages."),

		verb.Define("members.invite", "Invite a person by email", verb.Changes, ofAccount((*service).invite)).Explained(roles),
		verb.Define("members.list", "List an account's members and invitations", verb.Reads, ofAccount((*service).listMembers)),
		verb.Define("members.remove", "Remove a member, or withdraw an invitation", verb.Changes, ofAccount((*service).removeMember)).Explained("Remove a member with their sessions and the project keys that they created, or withdraw an invitation."),

		verb.Define("gateways.add", "Store a gateway and open it in the running server", verb.Changes, (*service).addGateway),
		verb.Define("gateways.list", "List the gateways with their senders", verb.Reads, (*service).listGateways),
		verb.Define("gateways.kinds", "List the kinds of gateways with their settings", verb.Reads, (*service).listKinds).As(""),
		verb.Define("gateways.settings", "Show the settings of a stored gateway for its form, without secrets", verb.Reads, (*service).storedSettings).As(""),
		verb.Define("gateways.try", "Test the settings of a gateway without storing them", verb.Reads, (*service).tryGateway).As(""),
		verb.Define("gateways.test", "Test a gateway without sending a message", verb.Reads, (*service).testGateway),
		verb.Define("gateways.send-test", "Send a test message through a gateway", verb.Changes, (*service).sendTest).Explained(testMessage),
		verb.Define("gateways.set", "Replace the settings of a stored gateway", verb.Changes, (*service).setGateway).Explained("Replace the settings of a stored gateway. Messages in progress finish with the old settings."),
		verb.Define("gateways.remove", "Remove a stored gateway", verb.Changes, (*service).removeGateway).Explained("Remove a stored gateway that no sender uses. Messages in progress finish first."),

		verb.Define("senders.add", "Add a sender to an account or to the platform", verb.Changes, (*service).addSender).Explained("Add a sender to an account. Without --account, the sender belongs to the platform."),
		verb.Define("senders.list", "List the senders of an account by position", verb.Reads, (*service).listSenders).As(""),
		verb.Define("senders.find", "List senders, newest first", verb.Reads, (*service).findSenders).As("senders list").Explained("List all senders, newest first, including those of the platform. With --account, list an account's senders in the order of their positions."),
		verb.Define("senders.show", "Show a sender", verb.Reads, (*service).showSender).As(""),
		verb.Define("senders.warm", "Set or end the daily limit of a new sender", verb.Changes, (*service).setWarmUp).As("senders warm-up").Explained("Limit a new sender: it can send a set number of messages today, and twice as many each day after. With --off, end the limit."),
		verb.Define("senders.pause", "Pause a sender", verb.Changes, (*service).pauseSender).Explained("Pause a sender. It sends nothing until you resume it, and routes skip it."),
		verb.Define("senders.resume", "Resume a paused sender", verb.Changes, (*service).resumeSender),
		verb.Define("senders.remove", "Remove a sender", verb.Changes, (*service).removeSender).Explained(removal),
		verb.Define("senders.pair", "Start to link a sender's number to a phone", verb.Changes, (*service).startPairing).As(""),
		verb.Define("senders.pairing", "Show the progress of linking a sender's number", verb.Reads, (*service).showPairing).As(""),
		verb.Define("senders.pair-cancel", "Cancel the linking of a sender's number", verb.Changes, (*service).cancelPairing).As(""),

		verb.Define("requests.list", "List the accounts' open requests, newest first", verb.Reads, (*service).listRequests),
		verb.Define("requests.done", "Mark a request as done and email the account's owner", verb.Changes, (*service).requestDone),
		verb.Define("requests.decline", "Decline a request and email the account's owner", verb.Changes, (*service).declineRequest),

		verb.Define("plans.list", "List the plans, smallest first", verb.Reads, (*service).listPlans).Explained("List the plans, smallest first. A dash means no limit."),
		verb.Define("plans.set", "Change a plan", verb.Changes, (*service).setPlan).Explained("Change a plan for every account on it. 0 means no limit."),
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

func noAccount() error { return verb.Refuse("The account doesn't exist.") }

// named checks a name as [account.CheckName] does.
func named(of, name string) (string, error) {
	name, err := account.CheckName(name)
	if err != nil {
		return "", verb.Refuse("%s's name must have 1 to %d visible characters.", of, account.MaxName)
	}
	return name, nil
}

// namedAccount checks the name of an account as [account.CheckAccountName] does.
func namedAccount(name string) (string, error) {
	name, err := named("An account", name)
	if err != nil {
		return "", err
	}
	if _, err := account.CheckAccountName(name); err != nil {
		return "", verb.Refuse("An account's name can't contain a web address: no ://, www., or path.")
	}
	return name, nil
}

// refused converts a refusal of the directory or of the gateways' store to a text for operators.
func refused(err error) error {
	if errors.Is(err, forms.ErrStale) {
		return verb.RefuseStale()
	}
	if wrong, ok := errors.AsType[*gatewaystore.SettingsError](err); ok {
		return verb.Refuse("The settings can't be used: %s", wrong.Err)
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
			return verb.Refuse("%s", line.text)
		}
	}
	return err
}
