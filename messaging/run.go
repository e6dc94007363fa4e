package messaging

import (
	"context"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/config"
	"example.com/griot/internal/task"
	"example.com/griot/internal/verb"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/audit"
	"example.com/griot/messaging/connections"
	"example.com/griot/messaging/counts"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/outbox"
	"example.com/griot/messaging/person"
	messagingverbs "example.com/griot/messaging/verbs"
)

// Verbs returns the commands of an operator. With no roles, they are those of a server that does not run.
func (s *Service) Verbs() (verb.Verbs, error) {
	running := len(s.c.Roles) > 0
	o := messagingverbs.Options{Directory: s.Directory, Gateways: s.e.Stored, Delivery: s.Delivery, Closing: s.closing, URL: s.c.API.URL}
	h := messagingverbs.HealthOptions{Deployment: &outbox.Deployment{DB: s.e.DB, Now: s.e.Now, Changed: s.Delivery.SeePause}, Version: s.e.Version}
	if running {
		o.Mail, o.Pairing = s.mail, s.pairing
		h.Since, h.NodeID = s.e.Now(), s.Delivery.NodeID
	}
	for _, r := range s.c.Auth.Receivers {
		o.LoginNumbers = append(o.LoginNumbers, person.Digits(r.Number))
	}
	return verb.Join(
		messagingverbs.Verbs(o), messagingverbs.HealthVerbs(h), messagingverbs.Webhooks(o, s.Endpoints), messagingverbs.OTP(s.OTP, s.Directory), messagingverbs.Audit(s.Directory), messagingverbs.Messages(s.messages),
		messagingverbs.People(s.erasure, s.Directory), messagingverbs.Sending(h.Deployment),
	)
}

// Start prepares the service for requests: a worker recovers the messages that a crash has left. Call it before a
// listener opens, because recovery must not include messages that this process has accepted. The gateways must be
// open.
func (s *Service) Start(ctx context.Context) error {
	if s.c.HasRole(config.RoleWorker) {
		if err := s.Delivery.Recover(ctx); err != nil {
			return err
		}
	}
	p, err := s.SendingPause(ctx)
	if err != nil {
		return err
	}
	if p != nil {
		s.e.Log.WarnContext(ctx, "sending is paused: messages are accepted, and wait (griot admin resume)", "since", p.At, "reason", string(p.Reason))
	}
	if err := s.startSales(ctx); err != nil {
		return err
	}
	if by := s.c.Email; by.Gateway != "" {
		return s.Directory.CreatePlatformSender(ctx, account.Sender{Channel: gateway.Email, Address: by.From, Gateway: by.Gateway})
	}
	return nil
}

// SendingPause returns the pause of the whole deployment, or nil if it is not paused.
func (s *Service) SendingPause(ctx context.Context) (*outbox.SendingPause, error) {
	return outbox.FindSendingPause(s.e.DB.Read(ctx))
}

// Tasks lists the background work of the process, which depends on its roles.
func (s *Service) Tasks() []task.Task {
	e, c := s.e, s.c
	tasks := []task.Task{{Name: "changes of accounts", Run: func(ctx context.Context) error { return s.Directory.Follow(ctx, e.Log) }}}
	if c.HasRole(config.RoleWorker) {
		events := &audit.Sweeper{DB: e.DB, Now: e.Now, Log: e.Log, Keep: time.Duration(c.Retention.Audit)}
		messages := &outbox.Sweeper{DB: e.DB, Swept: message.NewSweptKeys(e.Key), Now: e.Now, Log: e.Log, Messages: time.Duration(c.Retention.Messages), Content: time.Duration(c.Retention.Content)}
		counters := &counts.Folder{DB: e.DB, Now: e.Now, Log: e.Log}
		tasks = append(tasks,
			task.Task{Name: "delivery", Run: s.Delivery.Run}, task.Task{Name: "codes", Run: s.OTP.Run}, task.Task{Name: "erasures of people", Run: s.erasure.Run}, task.Task{Name: "accounts' webhooks", Run: s.webhooks.Run},
			task.Task{Name: "alerts", Run: s.alerts.Run}, task.Task{Name: "pairings", Run: s.pairing.Run}, task.Task{Name: "audit sweeps", Run: events.Run}, task.Task{Name: "message sweeps", Run: messages.Run},
			task.Task{Name: "closed accounts", Run: s.closing.Run}, task.Task{Name: "counters of messages", Run: counters.Run},
		)
		tasks = append(tasks, s.inbox.Tasks()...)
	}
	if c.HasRole(config.RoleWorker) && c.HasRole(config.RoleGateway) { // without the gateways' work, none appears connected
		monitor := connections.New(connections.Options{DB: e.DB, Directory: s.Directory, Detail: s.Delivery.Detail, Now: e.Now, Log: e.Log, Signal: s.Endpoints.Signal})
		tasks = append(tasks, task.Task{Name: "senders' health", Run: monitor.Run})
	}
	if c.HasRole(config.RoleAPI) {
		tasks = append(tasks, s.api.Tasks()...)
	}
	return tasks
}
