package verbs

import (
	"context"
	"time"

	"example.com/griot/internal/actor"
	"example.com/griot/internal/id"
	"example.com/griot/internal/verb"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/audit"
)

// Audit returns the table of the audit log.
func Audit(directory *account.Directory) verb.Verbs {
	return byOperator(&auditLog{service{Options{Directory: directory}}}, auditVerbs())
}

func auditVerbs() verb.Verbs {
	return verb.Verbs{
		verb.Define("audit.list", "Show changes in the messaging service, newest first", verb.Reads, (*auditLog).list).As("audit").Explained(following),
	}
}

type auditLog struct{ service }

const following = "Show changes in the messaging service and their actors, newest first. With --follow, the latest events come oldest first, followed by each new event until you interrupt the command. With --follow and --json, each event is on its own line."

// AuditInput selects events of the audit log.
type AuditInput struct {
	Account string    `json:"account" flag:"account" help:"account ID, or its owner's email address (default: all accounts and the deployment)"` // empty: events of all accounts and of the deployment
	Action  string    `json:"action" flag:"action" help:"action or prefix of actions: key.created, key."`                                        // empty: all
	Since   time.Time `json:"since"`                                                                                                             // zero: no limit
	Before  string    `json:"before"`                                                                                                            // the last ID of the previous page
	Limit   int       `json:"limit" flag:"limit" default:"50" help:"number of events, at most 1000"`
}

// An AuditEvent is an entry of the audit log.
type AuditEvent struct {
	ID          string            `json:"id"`
	AccountID   string            `json:"accountId" col:"ACCOUNT"` // empty: an event of the deployment
	AccountName string            `json:"accountName"`             // empty: the account is erased, or it is an event of the deployment
	At          time.Time         `json:"at" col:"AT"`
	Actor       string            `json:"actor" col:"ACTOR"`
	ActorID     string            `json:"actorId" col:"ACTOR'S ID"`
	ActorEmail  string            `json:"actorEmail" col:"EMAIL"`
	Action      string            `json:"action" col:"ACTION"`
	Target      string            `json:"target" col:"TARGET"`
	Details     map[string]string `json:"details" col:"DETAILS"`
	Address     string            `json:"address" col:"ADDRESS"` // a /24 or /48 network
}

// An AuditPage is a page of the audit log.
type AuditPage struct {
	Events []AuditEvent `json:"events"` // newest first
	Next   string       `json:"next"`   // empty after the last page
}

func (h *auditLog) list(ctx context.Context, in *AuditInput) (AuditPage, error) {
	out := AuditPage{Events: []AuditEvent{}}
	switch {
	case in.Limit < 1 || in.Limit > maxListed:
		return out, verb.Refuse("The limit must be 1 to %d.", maxListed)
	case !audit.ValidAction(in.Action):
		return out, verb.Refuse("The action must be an action such as key.created, or a prefix such as key.")
	case in.Before != "" && !id.Valid(in.Before):
		return out, verb.Refuse("The event doesn't exist.")
	}
	f := &audit.Filter{Everybody: in.Account == "", Action: in.Action, Since: in.Since, Before: in.Before}
	if in.Account != "" {
		a, err := h.existing(ctx, in.Account)
		if err != nil {
			return out, err
		}
		f.AccountID = a.ID
	}
	for {
		f.Limit = in.Limit - len(out.Events)
		found, next, err := h.Directory.Events(ctx, f)
		for _, e := range found {
			out.Events = append(out.Events, shownAudit(e))
		}
		if out.Next = next; err != nil {
			return out, err
		}
		if next == "" || len(out.Events) == in.Limit {
			return out, h.name(ctx, out.Events)
		}
		f.Before = next
	}
}

// name sets the names of the accounts of events.
func (h *auditLog) name(ctx context.Context, events []AuditEvent) error {
	names, err := h.Directory.Names(ctx, verb.Each(events, func(e *AuditEvent) string { return e.AccountID }))
	for i := range events {
		events[i].AccountName = names[events[i].AccountID]
	}
	return err
}

func shownAudit(e *audit.Event) AuditEvent {
	return AuditEvent{
		ID: e.ID, AccountID: e.AccountID, At: e.At, Actor: string(e.Actor.Type), ActorID: e.Actor.ID, ActorEmail: e.Actor.Email, Action: e.Action, Target: e.Target, Details: e.Details, Address: e.Network,
	}
}

// byOperator binds verbs to their service and runs each as the operator, for the audit log. Refusals are returned as texts.
func byOperator[S any](service S, verbs verb.Verbs) verb.Verbs {
	return verb.Bind(service, verbs, func(ctx context.Context, call func(context.Context) (any, error)) (any, error) {
		out, err := call(actor.With(ctx, actor.Actor{Type: actor.Operator}))
		return out, refused(err)
	})
}
