package verbs

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"example.com/griot/internal/i18n"
	"example.com/griot/internal/id"
	"example.com/griot/internal/verb"
	"example.com/griot/internal/visible"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
)

// An Account is an account as operators see it.
type Account struct {
	ID            string     `json:"id" col:"ACCOUNT"`
	Name          string     `json:"name" col:"NAME"`
	Email         string     `json:"email" col:"EMAIL"`
	Lang          string     `json:"lang" row:"language"`      // the language of messages that Griot sends for the account
	TimeZone      string     `json:"timeZone" row:"time zone"` // for times on its pages
	Plan          string     `json:"plan" col:"PLAN"`
	Effective     string     `json:"effective" col:"IN EFFECT"` // the plan in effect
	PlanExpiresAt *time.Time `json:"planExpiresAt" row:"plan expires"`
	TrialEndsAt   *time.Time `json:"trialEndsAt" row:"trial ends"`
	RecipientCap  *int64     `json:"recipientCap" row:"recipient cap"`     // the account's own limit
	FallbackAfter *int64     `json:"fallbackAfter" row:"fallback,seconds"` // in seconds
	WebhookURL    *string    `json:"webhookUrl" row:"webhook"`
	CreatedAt     time.Time  `json:"createdAt" col:"CREATED"`
	UsedToday     *int64     `json:"usedToday,omitempty" page:"sent today"` // toward the quota; only for a single account
	ClosedAt      *time.Time `json:"closedAt" row:"closed"`                 // null: not closed
	SuspendedAt   *time.Time `json:"suspendedAt" row:"suspended"`           // null: not suspended
	SuspendedFor  string     `json:"suspendedFor,omitempty" row:"reason"`   // the reason for the suspension
	Version       string     `json:"version"`                               // of plan, planExpiresAt, trialEndsAt, and recipientCap
}

func shownAccount(a *account.Account) Account {
	out := Account{
		ID: a.ID, Name: a.Name, Email: a.Email, Lang: string(a.Lang), TimeZone: a.TimeZone, Plan: a.Subscription.Plan, Effective: a.Plan.Name, PlanExpiresAt: verb.TimeOrNull(a.Subscription.ExpiresAt),
		TrialEndsAt: verb.TimeOrNull(a.Subscription.TrialEndsAt), RecipientCap: nullIfZero(a.OwnCap), FallbackAfter: nullIfZero(int64(a.FallbackAfter / time.Second)), CreatedAt: a.CreatedAt, ClosedAt: verb.TimeOrNull(a.ClosedAt), SuspendedAt: verb.TimeOrNull(a.SuspendedAt), SuspendedFor: a.SuspendedFor, Version: a.TermsVersion(),
	}
	if a.WebhookURL != "" {
		out.WebhookURL = &a.WebhookURL
	}
	return out
}

// AccountInput describes a new account.
type AccountInput struct {
	Name         string `json:"name" flag:"name,required" help:"displayed name"`
	Email        string `json:"email" flag:"email,required" help:"owner's email address, to sign in to the dashboard"`
	Lang         string `json:"lang" flag:"lang" oneof:"fr en" default:"fr" help:"language of the texts that Griot sends for the account: fr or en"` // fr or en; empty: fr
	Plan         string `json:"plan" flag:"plan" of:"plans" default:"free" help:"plan from griot admin plans list"`
	RecipientCap int64  `json:"recipientCap" flag:"recipient-cap" help:"daily messages per recipient (0: the plan's cap)"` // 0: the plan's limit
}

func (h *service) createAccount(ctx context.Context, in *AccountInput) (Account, error) {
	name, err := namedAccount(in.Name)
	if err != nil {
		return Account{}, err
	}
	if err := checkEmail(in.Email); err != nil {
		return Account{}, err
	}
	if err := checkCap(in.RecipientCap); err != nil {
		return Account{}, err
	}
	if in.Lang != "" {
		if err := checkLang(in.Lang); err != nil {
			return Account{}, err
		}
	}
	a, err := h.Directory.Create(ctx, &account.Spec{Name: name, Email: in.Email, Lang: i18n.Lang(in.Lang), Plan: in.Plan, RecipientCap: in.RecipientCap})
	if err != nil {
		return Account{}, err
	}
	return shownAccount(a), nil
}

func (h *service) listAccounts(ctx context.Context, _ *Nothing) ([]Account, error) {
	found, err := h.Directory.Accounts(ctx)
	return verb.Each(found, shownAccount), err
}

// An AccountSearch selects a page of accounts, newest first.
type AccountSearch struct {
	Text   string `json:"text" flag:"find" help:"ID, or part of a name or email address; newest first, at most 1000"` // an id, or a part of a name or address; empty: all
	Before string `json:"before"`                                                                                     // the last id of the page before
	Limit  int    `json:"limit"`
}

// An AccountPage is a page of search results.
type AccountPage struct {
	Accounts []Account `json:"accounts"`
	Next     string    `json:"next"` // empty after the last page
}

const maxSearch = 100 // in characters

func (h *service) findAccounts(ctx context.Context, in *AccountSearch) (AccountPage, error) {
	switch {
	case in.Limit < 1 || in.Limit > maxListed:
		return AccountPage{}, verb.Refuse("The limit must be 1 to %d.", maxListed)
	case in.Before != "" && !id.Valid(in.Before):
		return AccountPage{}, noAccount()
	case utf8.RuneCountInString(in.Text) > maxSearch:
		return AccountPage{}, verb.Refuse("A search can have at most %d characters.", maxSearch)
	}
	found, next, err := h.Directory.FindAccounts(ctx, account.Search{Text: strings.TrimSpace(in.Text), Before: in.Before, Limit: in.Limit})
	return AccountPage{Accounts: verb.Each(found, shownAccount), Next: next}, err
}

func (h *service) showAccount(ctx context.Context, a *account.Account, _ *OneAccount) (Account, error) {
	used, err := h.Directory.Used(ctx, a.ID)
	out := shownAccount(a)
	out.UsedToday = &used
	return out, err
}

// changedAccount returns an account after a change, or err if it is not nil.
func (h *service) changedAccount(ctx context.Context, accountID string, err error) (Account, error) {
	if err != nil {
		return Account{}, err
	}
	return ofAccount((*service).showAccount)(h, ctx, &OneAccount{accountID})
}

// reopenAccount reopens an account that its owner has closed.
func (h *service) reopenAccount(ctx context.Context, a *account.Account, _ *OneAccount) (Account, error) {
	return h.changedAccount(ctx, a.ID, h.Directory.Reopen(ctx, a.ID))
}

// AccountSuspension is the input of accounts.suspend.
type AccountSuspension struct {
	OneAccount

	Reason string `json:"reason" flag:"reason,required" help:"sentence that explains the suspension to the account's members"`
}

const maxReason = 300 // in characters

func (h *service) suspendAccount(ctx context.Context, a *account.Account, in *AccountSuspension) (Account, error) {
	reason := strings.TrimSpace(in.Reason)
	if reason == "" || !visible.Name(reason, maxReason) {
		return Account{}, verb.Refuse("The reason must have 1 to %d visible characters.", maxReason)
	}
	return h.setSuspended(ctx, a, reason)
}

func (h *service) resumeAccount(ctx context.Context, a *account.Account, _ *OneAccount) (Account, error) {
	return h.setSuspended(ctx, a, "")
}

// setSuspended suspends an account or, without a reason, ends the suspension. If a server runs, the owner gets an email.
func (h *service) setSuspended(ctx context.Context, a *account.Account, reason string) (Account, error) {
	if a.Closed() {
		return Account{}, account.ErrClosed
	}
	err := h.Delivery.SetSuspended(ctx, a.ID, reason)
	if err == nil && h.Mail != nil && a.SuspendedFor != reason {
		h.Mail.NotifySuspended(a, reason)
	}
	return h.changedAccount(ctx, a.ID, err)
}

// An AccountChange is a change of an account. Null fields are unchanged.
type AccountChange struct {
	OneAccount

	Name          *string    `json:"name" form:"-" flag:"name" help:"displayed name"`
	Email         *string    `json:"email" form:"-" flag:"email" help:"owner's email address, to sign in to the dashboard"`
	Lang          *string    `json:"lang" form:"-" flag:"lang" help:"language of the texts that Griot sends for the account: fr or en"`
	TimeZone      *string    `json:"timeZone" form:"-" flag:"time-zone" help:"time zone of the dashboard, such as Africa/Bamako"`
	Plan          *string    `json:"plan" flag:"plan" of:"plans" help:"plan from griot admin plans list"`
	PlanExpiresAt *time.Time `json:"planExpiresAt" flag:"plan-expires" help:"end of the plan, when it falls back to free: a date, a time, or none"`                         // 0001-01-01T00:00:00Z: never
	TrialEndsAt   *time.Time `json:"trialEndsAt" flag:"trial-ends" help:"end of the trial of the plan pro: a date, a time, or none"`                                        // 0001-01-01T00:00:00Z: no trial
	RecipientCap  *int64     `json:"recipientCap" flag:"recipient-cap" help:"daily messages per recipient (0: the plan's cap)"`                                             // 0: the plan's limit
	FallbackAfter *int64     `json:"fallbackAfter" form:"-" flag:"fallback-after,seconds" help:"time that auto waits for a delivery before the next channel (0: no limit)"` // seconds that auto waits for a delivery; 0: no limit
	Version       string     `json:"version"`                                                                                                                               // the change is refused if the account has another version; empty: not checked
}

func (h *service) setAccount(ctx context.Context, a *account.Account, in *AccountChange) (Account, error) {
	if err := in.check(); err != nil {
		return Account{}, err
	}
	found, err := h.Directory.Change(ctx, a.ID, &account.Change{
		Name: in.Name, Email: in.Email, Lang: in.Lang, TimeZone: in.TimeZone, Plan: in.Plan, PlanExpiresAt: in.PlanExpiresAt, TrialEndsAt: in.TrialEndsAt, RecipientCap: in.RecipientCap, FallbackAfter: in.fallback(), ShownTerms: in.Version,
	})
	if err == nil && !found {
		err = noAccount()
	}
	return h.changedAccount(ctx, a.ID, err)
}

func (in *AccountChange) check() (err error) {
	if in.Name != nil {
		if *in.Name, err = namedAccount(*in.Name); err != nil {
			return err
		}
	}
	if in.Email != nil {
		if err := checkEmail(*in.Email); err != nil {
			return err
		}
	}
	if in.Lang != nil {
		if err := checkLang(*in.Lang); err != nil {
			return err
		}
	}
	if in.TimeZone != nil && !account.ValidTimeZone(*in.TimeZone) {
		return verb.Refuse("The time zone must be a name from the IANA database, such as Africa/Bamako.")
	}
	if in.RecipientCap != nil {
		if err := checkCap(*in.RecipientCap); err != nil {
			return err
		}
	}
	if in.FallbackAfter != nil && (*in.FallbackAfter < 0 || *in.FallbackAfter > int64(message.MaxFallbackAfter/time.Second)) {
		return verb.Refuse("The time to wait for a delivery can be at most one day.")
	}
	return nil
}

func (in *AccountChange) fallback() *time.Duration {
	if in.FallbackAfter == nil {
		return nil
	}
	d := time.Duration(*in.FallbackAfter) * time.Second
	return &d
}

func checkLang(s string) error {
	if !i18n.Lang(s).Valid() {
		return verb.Refuse("The language must be fr or en.")
	}
	return nil
}

func checkEmail(s string) error {
	if !message.IsEmail(account.NormalEmail(s)) {
		return verb.Refuse("The email address is invalid.")
	}
	return nil
}

func checkCap(n int64) error {
	if n < 0 || n > maxLimit {
		return verb.Refuse("A limit must be 1 to %d, or 0 for no limit.", int64(maxLimit))
	}
	return nil
}
