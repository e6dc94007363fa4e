package dashboard

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/otp"
	"example.com/griot/web"
)

const challengeParam = "challenge"

// A codeTester is a form that sends a one-time code and verifies it, as a program would. In TEST, nothing is sent.
// LIVE is only for the owner.
type codeTester struct {
	Action    string
	Key       string // each form sends only once
	To, App   web.Field
	Channel   web.Select
	Project   *web.Select // for a developer
	Cost      string      // the consequences of sending
	Submit    string
	OwnerOnly string // the same page in TEST, if there is no form in LIVE
	Wrong     string
	FailedURL string  // the page of the failed message
	Ways      *waysOn // next steps after the error in Wrong; nil: none

	Challenge string // the challenge whose code is requested; empty: none yet
	Verify    string // the target of the form for the code
	Code      web.Field
	Hint      string
	AgainURL  string
}

// codeTester returns the form with its values, or nil if it is not available to the caller's role.
func (d *Dashboard) codeTester(v *visit, form url.Values) (*codeTester, error) {
	if !account.MaySendByHand.Allows(v.caller.Role) {
		return nil, nil
	}
	lang := v.lang
	t := &codeTester{Action: v.url(codesSendPath), Verify: v.url(codesVerifyPath), AgainURL: v.url(codesPath), Key: form.Get("key")}
	if !v.simulated() && !v.caller.Owner() {
		t.OwnerOnly = v.inMode(codesPath, web.TestMode)
		return t, nil
	}
	if t.Key == "" {
		t.Key = newKey(d)
	}
	t.To = web.Field{ID: "to", Name: "to", Label: lang.T("dashboard.codes.to"), Value: form.Get("to"), Type: "tel", Autocomplete: "tel", Placeholder: "+223 76 00 00 01", Required: true}
	t.App = web.Field{ID: "app", Name: "app", Label: lang.T("dashboard.codes.app"), Value: form.Get("app"), Hint: lang.T("dashboard.codes.app_hint")}
	t.Channel = channelSelect(lang, gateway.Channel(form.Get("channel")), lang.T("dashboard.channel_auto"), message.Auto)
	t.Channel.Options = slices.DeleteFunc(t.Channel.Options, func(o web.Option) bool { return o.Value == string(gateway.Email) })
	t.Submit, t.Cost = lang.T("dashboard.codes.simulate"), lang.T("dashboard.codes.cost_test")
	if v.caller.OwnProjectsOnly() {
		projects, err := d.ownProjects(v.r.Context(), v.caller)
		if err != nil {
			return nil, err
		}
		if _, t.Project = chosenProject(lang, projects, form.Get("project")); len(projects) == 0 {
			t.Project = nil
		}
	}
	if v.simulated() {
		return t, nil
	}
	used, err := d.o.Directory.UsedToday(v.r.Context(), v.caller.Account.ID)
	if err != nil {
		return nil, err
	}
	t.Submit, t.Cost = lang.T("dashboard.codes.send"), lang.T("dashboard.codes.cost")
	if limit := v.caller.Account.Plan.DailyLimit; limit > 0 {
		t.Cost = lang.T("dashboard.codes.cost_of", number(lang, used), number(lang, limit))
	}
	return t, nil
}

// askForCode makes the tester show the field for the code of a challenge.
func (t *codeTester) askForCode(v *visit, challenge string) {
	t.Challenge = challenge
	t.Code = web.Field{ID: "code", Name: "code", Label: v.lang.T("dashboard.codes.code"), Autocomplete: "one-time-code", InputMode: "numeric", Required: true}
	t.Hint = v.lang.T("dashboard.codes.sent_live")
	if v.simulated() {
		t.Hint = v.lang.T("dashboard.codes.sent_test", strings.Repeat("0", otp.DefaultLength))
	}
}

// sendTestCode handles POST /dashboard/codes/send. It works like POST /api/otp/send.
func (d *Dashboard) sendTestCode(v *visit, form url.Values) error {
	t, err := d.usableTester(v, form)
	if err != nil {
		return err
	}
	if err := message.CheckIdempotencyKey(t.Key); err != nil {
		return err
	}
	sender, in := *v.caller, otp.NewRequest()
	if t.Project != nil {
		for _, o := range t.Project.Options {
			if o.Selected {
				sender.ProjectID = o.Value
			}
		}
	}
	in.Channel, in.App, in.Locale = gateway.Channel(form.Get("channel")), form.Get("app"), string(v.lang)
	if in.To, err = v.recipient(in.Channel, form.Get("to")); err != nil {
		return d.refuseTester(v, t, form, err)
	}
	in.Sandbox, in.IdempotencyKey = v.simulated(), t.Key
	issued, err := d.o.OTP.Issue(v.r.Context(), &sender, in)
	switch {
	case err != nil:
		return d.refuseTester(v, t, form, err)
	case issued.PayloadMismatch:
		t.Key, t.Wrong = newKey(d), v.lang.T("dashboard.codes.changed")
		return d.showCodes(v, http.StatusConflict, t)
	case issued.Send.Message.Status.HasFailed():
		t.Key, t.Wrong = newKey(d), reason(v.lang, issued.Send.Message.Failure)
		t.FailedURL = messageURL(issued.Send.Message.ID)
		return d.showCodes(v, apierror.ProviderError.Status, t)
	}
	return httpx.SeeOther(v.w, v.url(codesPath+"?done=code_sent"+"&"+challengeParam+"="+url.QueryEscape(issued.ChallengeID)))
}

// verifyTestCode handles POST /dashboard/codes/verify. It works like POST /api/otp/verify.
func (d *Dashboard) verifyTestCode(v *visit, form url.Values) error {
	t, err := d.usableTester(v, form)
	if err != nil {
		return err
	}
	t.askForCode(v, form.Get(challengeParam))
	err = d.o.OTP.Verify(v.r.Context(), v.caller, &otp.Guess{ChallengeID: t.Challenge, Code: form.Get("code"), Sandbox: v.simulated()})
	if err != nil {
		return d.refuseTester(v, t, form, err)
	}
	return httpx.SeeOther(v.w, v.url(codesPath+"?done=code_verified"))
}

// usableTester returns the tester if it has a form. Only the owner can send real codes.
func (d *Dashboard) usableTester(v *visit, form url.Values) (*codeTester, error) {
	t, err := d.codeTester(v, form)
	if err == nil && t.OwnerOnly != "" {
		err = apierror.Forbidden.Err()
	}
	return t, err
}

// refuseTester shows the page again, with the error next to its field.
func (d *Dashboard) refuseTester(v *visit, t *codeTester, form url.Values, err error) error {
	e, ok := refusal(err)
	if !ok {
		return err
	}
	httpx.SetRetryAfter(v.w.Header(), e.RetryAfter)
	if t.Challenge != "" {
		t.Code.Wrong = explain(v.lang, e)
	} else if blame(e, explain(v.lang, e), map[string]*string{"to": &t.To.Wrong, "app": &t.App.Wrong, "channel": &t.Channel.Wrong}, &t.Wrong); t.Wrong != "" {
		t.Key, t.Ways = newKey(d), d.waysOn(v, e, form)
	}
	return d.showCodes(v, e.Kind.Status, t)
}
