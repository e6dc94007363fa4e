package verbs

import (
	"cmp"
	"context"
	"slices"
	"time"

	"example.com/griot/internal/phone"
	"example.com/griot/internal/verb"
	"example.com/griot/messaging/account"
)

// A Request is an open request as operators see it. Its fields prefill the form of the command that completes it.
type Request struct {
	ID          string    `json:"id" col:"REQUEST"`
	Account     string    `json:"account" col:"ACCOUNT"`
	AccountName string    `json:"accountName"`
	Channel     string    `json:"channel,omitempty" col:"CHANNEL"` // for a sender
	Address     string    `json:"address,omitempty" col:"ADDRESS"` // for a sender
	URL         string    `json:"url,omitempty" col:"URL"`         // for webhook events
	Note        string    `json:"note" col:"NOTE"`
	SignIn      *bool     `json:"signIn,omitempty" page:"people sign in"` // with the address; null: not for a sender
	UsedBy      []User    `json:"usedBy,omitempty" page:"used by"`        // the senders with the address, on any channel
	At          time.Time `json:"at" col:"AT"`
}

// A User is a sender with a requested address.
type User struct {
	ID      string `json:"id"`
	Channel string `json:"channel"`
	Address string `json:"address"`
	Account string `json:"account"` // its name; "platform" for the platform's
}

// Key returns the sender's ID.
func (u User) Key() string { return u.ID }

// Cell returns the channel, the address, and the account.
func (u User) Cell() string { return u.Channel + " " + u.Address + " (" + u.Account + ")" }

func shownRequest(r *account.Request) Request {
	out := Request{ID: r.ID, Account: r.AccountID, AccountName: r.AccountName, Note: r.Note, At: r.At}
	if r.Kind == account.WebhookRequest {
		out.URL = r.Wanted
	} else {
		out.Channel, out.Address = r.Kind, phone.Shown(r.Wanted)
	}
	return out
}

func (h *service) listRequests(ctx context.Context, _ *Nothing) ([]Request, error) {
	found, err := h.Directory.Requests(ctx, "")
	if err != nil {
		return nil, err
	}
	out := verb.Each(found, shownRequest)
	for i := range out {
		if out[i].Address == "" {
			continue
		}
		out[i].SignIn = new(h.isLoginNumber(found[i].Wanted))
		used, err := h.Directory.SendersLike(ctx, found[i].Wanted)
		if err != nil {
			return nil, err
		}
		out[i].UsedBy = verb.Each(used, func(s *account.NamedSender) User {
			return User{s.ID, string(s.Channel), s.Address, cmp.Or(s.AccountName, "platform")}
		})
	}
	return out, nil
}

// RequestEnd identifies a request to end, with a message to its owner.
type RequestEnd struct {
	Request string `json:"request" arg:"REQUEST" help:"req_..."`
	Reason  string `json:"reason" flag:"reason" help:"explanation for the account's owner"`
}

func (h *service) requestDone(ctx context.Context, in *RequestEnd) (Done, error) {
	return Done{in.Request}, h.endRequest(ctx, in, true)
}

func (h *service) declineRequest(ctx context.Context, in *RequestEnd) (Done, error) {
	return Done{in.Request}, h.endRequest(ctx, in, false)
}

// endRequest ends an open request and notifies the account's owner by email.
func (h *service) endRequest(ctx context.Context, in *RequestEnd, done bool) error {
	r, err := h.Directory.EndRequest(ctx, in.Request, done)
	if err == nil && r == nil {
		err = verb.Refuse("The request doesn't exist or isn't open.")
	}
	if err != nil || h.Mail == nil {
		return err
	}
	a, err := h.Directory.StoredAccount(ctx, r.AccountID)
	if err == nil && a != nil {
		h.Mail.NotifyRequest(a, r, done, in.Reason)
	}
	return err
}

// carryOut changes an account with do and ends the request that this completes, for a webhook endpoint or for a
// sender. If requestID is empty, there is no request. After a crash between the two steps, the request is still open,
// and the operator can mark it as completed.
func (h *service) carryOut(ctx context.Context, requestID, accountID string, webhook bool, do func() error) error {
	if requestID == "" {
		return do()
	}
	open, err := h.Directory.Requests(ctx, accountID)
	if err == nil && !slices.ContainsFunc(open, func(r account.Request) bool {
		return r.ID == requestID && r.AccountID == accountID && (r.Kind == account.WebhookRequest) == webhook
	}) {
		err = verb.Refuse("The account doesn't have this request, or the request isn't open.")
	}
	if err == nil {
		err = do()
	}
	if err == nil {
		err = h.endRequest(ctx, &RequestEnd{Request: requestID}, true)
	}
	return err
}
