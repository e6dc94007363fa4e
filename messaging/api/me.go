package api

import (
	"context"
	"net/http"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/phone"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/quota"
)

const recentMessages = 10

// A meAnswer is the profile of the signed-in user. Fields for only the owner (key, webhook, the account's own
// messages) are null or empty for a member.
type meAnswer struct {
	Success        bool         `json:"success"`
	Developer      meDeveloper  `json:"developer"`
	Account        meAccount    `json:"account"`
	APIKey         *meKey       `json:"apiKey"` // the latest live key
	Plan           mePlan       `json:"plan"`
	Usage          meUsage      `json:"usage"`
	RecentMessages []logItem    `json:"recentMessages"`
	Webhook        *meWebhook   `json:"webhook"`
	Senders        []meSender   `json:"senders"`
	Features       meFeatureSet `json:"features"`
}

type meDeveloper struct {
	ID        string       `json:"id"`
	Name      *string      `json:"name"`
	Email     string       `json:"email"`
	Role      account.Role `json:"role"`
	CreatedAt *string      `json:"createdAt"`
}

type meAccount struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

type meKey struct {
	Kind       account.Kind `json:"kind"`
	Prefix     string       `json:"prefix"`
	Masked     string       `json:"masked"`
	CreatedAt  string       `json:"createdAt"`
	LastUsedAt *string      `json:"lastUsedAt"` // to the minute
}

type mePlan struct {
	Name        string  `json:"name"`
	Effective   string  `json:"effective"`
	DailyLimit  *int64  `json:"dailyLimit"`
	ExpiresAt   *string `json:"expiresAt"`
	Trial       bool    `json:"trial"`
	TrialEndsAt *string `json:"trialEndsAt"`
}

type meUsage struct {
	Date         string `json:"date"`
	MessagesUsed int64  `json:"messagesUsed"`
	Limit        *int64 `json:"limit"`
	Remaining    *int64 `json:"remaining"`
	ResetAt      string `json:"resetAt"`
}

type meWebhook struct {
	URL            *string `json:"url"`
	Enabled        bool    `json:"enabled"`
	SecretMasked   *string `json:"secretMasked"`
	LastDeliveryAt *string `json:"lastDeliveryAt"`
	LastStatusCode *int64  `json:"lastStatusCode"`
	FailingSince   *string `json:"failingSince"`
	Pending        *int64  `json:"pending"`
}

type meSender struct {
	ID      string          `json:"id"`
	Channel gateway.Channel `json:"channel"`
	Address string          `json:"address"`
	connectionItem
}

type meFeatureSet struct {
	Inbox bool `json:"inbox"`
	MCP   bool `json:"mcp"`
}

// me handles GET /api/me, for the signed-in user.
func (a *API) me(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	of := c.Account
	out := meAnswer{
		Success: true, Account: meAccount{of.ID, of.Name}, Plan: a.mePlan(of), RecentMessages: []logItem{}, Senders: a.meSenders(of),
		Features: meFeatureSet{Inbox: of.Plan.Inbox && c.Owner(), MCP: of.Plan.Inbox && c.Owner()},
	}
	var err error
	if out.Usage, err = a.meUsage(r.Context(), of); err != nil {
		return err
	}
	if !c.Owner() {
		out.Developer = meDeveloper{ID: c.MemberID, Email: c.Email, Role: c.Role}
		return httpx.WriteJSON(w, http.StatusOK, out)
	}
	out.Developer = meDeveloper{ID: of.ID, Name: textOrNull(of.Name), Email: c.Email, Role: c.Role, CreatedAt: textOrNull(formatTime(of.CreatedAt))}
	if out.Webhook, err = a.webhookOf(r.Context(), c); err != nil {
		return err
	}
	if out.APIKey, err = a.meKey(r.Context(), of); err != nil {
		return err
	}
	recent, _, err := a.o.Messages.List(r.Context(), c, &message.Filter{Limit: recentMessages})
	if err != nil {
		return err
	}
	for _, m := range recent {
		out.RecentMessages = append(out.RecentMessages, logOf(m))
	}
	return httpx.WriteJSON(w, http.StatusOK, out)
}

// mask returns the prefix of a secret, followed by dots.
func mask(prefix string) string { return prefix + "••••••••" }

// meKey returns the latest valid live key, or nil if there is none.
func (a *API) meKey(ctx context.Context, of *account.Account) (*meKey, error) {
	keys, err := a.o.Directory.Keys(ctx, of.ID, "")
	if err != nil {
		return nil, err
	}
	for i := len(keys) - 1; i >= 0; i-- {
		if k := keys[i]; k.Kind == account.Live && k.Works(a.o.Now()) {
			return &meKey{Kind: k.Kind, Prefix: k.Prefix, Masked: mask(k.Prefix), CreatedAt: formatTime(k.CreatedAt), LastUsedAt: formatTimeOrNull(k.LastUsedAt)}, nil
		}
	}
	return nil, nil //nolint:nilnil // a missing key is not an error
}

func (a *API) mePlan(of *account.Account) mePlan {
	s := of.Subscription
	return mePlan{
		Name: s.Plan, Effective: of.Plan.Name, DailyLimit: limitOf(of.Plan.DailyLimit), ExpiresAt: formatTimeOrNull(s.ExpiresAt),
		Trial: s.Trial(a.o.Now()), TrialEndsAt: formatTimeOrNull(s.TrialEndsAt),
	}
}

func (a *API) meUsage(ctx context.Context, of *account.Account) (meUsage, error) {
	now := a.o.Now()
	used, err := a.o.Directory.UsedToday(ctx, of.ID)
	u := meUsage{Date: now.UTC().Format(time.DateOnly), MessagesUsed: used, Limit: limitOf(of.Plan.DailyLimit), ResetAt: formatTime(now.Add(quota.UntilNextDay(now)))}
	if u.Limit != nil {
		left := max(0, *u.Limit-used)
		u.Remaining = &left
	}
	return u, err
}

// webhookOf returns the account's endpoint with its state.
func (a *API) webhookOf(ctx context.Context, c *account.Caller) (*meWebhook, error) {
	s, err := a.o.Endpoints.StateFor(ctx, c)
	if err != nil || s == nil {
		return nil, err
	}
	pending := int64(s.Pending)
	h := &meWebhook{
		URL: textOrNull(s.URL), Enabled: s.URL != "" && s.DisabledAt.IsZero(), LastDeliveryAt: formatTimeOrNull(s.LastSuccessAt), FailingSince: formatTimeOrNull(s.FailingSince), Pending: &pending,
	}
	if s.LastStatus != 0 {
		status := int64(s.LastStatus)
		h.LastStatusCode = &status
	}
	if s.HasSecret {
		h.SecretMasked = textOrNull(mask("whsec_"))
	}
	return h, nil
}

func (a *API) meSenders(of *account.Account) []meSender {
	out := make([]meSender, 0, len(of.Senders))
	for _, s := range of.Senders {
		out = append(out, meSender{ID: s.ID, Channel: s.Channel, Address: phone.Shown(s.Address), connectionItem: connectionOf(a.o.Delivery.Detail(s))})
	}
	return out
}
