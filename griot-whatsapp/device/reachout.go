package device

import (
	"bytes"
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"go.mau.fi/whatsmeow/appstate"
	waBinary "go.mau.fi/whatsmeow/binary"
	"go.mau.fi/whatsmeow/types"
)

// PrivacyToken is the code of a message that WhatsApp refuses because the number has no privacy token of the recipient.
const PrivacyToken = "privacy_token_missing"

// reachOutError is the error of a message to somebody whom the account can't write to. It has two causes, which it does
// not tell apart: the account is restricted (the reach-out timelock), or the message has no privacy token of the
// recipient, or an old one.
const reachOutError = "463"

const (
	// unannounced is the length of a restriction if WhatsApp does not report its end.
	unannounced = 24 * time.Hour
	// timelockWait is the maximum time of the query about the restriction.
	timelockWait = 5 * time.Second
	// proofWait is the maximum time of the requests of missing tokens.
	proofWait = 10 * time.Second
	// saltEvery is the interval at which the account's salt is requested again if WhatsApp has none.
	saltEvery = 24 * time.Hour
	// timelockQuery is WhatsApp Web's query about the restriction (WAWebMexFetchReachoutTimelockJob).
	timelockQuery = "23983697327930364"
)

// unixTime is a time in Unix seconds that WhatsApp sends as text or as a number.
type unixTime int64

// UnmarshalJSON implements [json.Unmarshaler]. Any other value is zero.
func (u *unixTime) UnmarshalJSON(b []byte) error {
	i, _ := strconv.ParseInt(strings.Trim(string(b), `"`), 10, 64)
	*u = unixTime(i)
	return nil
}

// timelock is WhatsApp's report about the restriction of the account.
type timelock struct {
	Active bool     `json:"is_active"`
	Ends   unixTime `json:"time_enforcement_ends"` // Unix seconds; 0: unknown
}

// until returns the end of the restriction, or the zero time if there is none. An end that is over or more than a year away
// counts as unknown.
func (t timelock) until(now time.Time) time.Time {
	ends := time.Unix(int64(t.Ends), 0)
	switch {
	case !t.Active:
		return time.Time{}
	case ends.After(now) && ends.Before(now.AddDate(1, 0, 0)):
		return ends
	}
	return now.Add(unannounced)
}

// parseTimelock reads the response to the query about the restriction. known is false if it does not contain the state.
func parseTimelock(data []byte) (t timelock, known bool) {
	var answer struct {
		Timelock *timelock `json:"xwa2_fetch_account_reachout_timelock"`
	}
	if json.Unmarshal(data, &answer) != nil || answer.Timelock == nil {
		return timelock{}, false
	}
	return *answer.Timelock, true
}

// askTimelock asks WhatsApp whether the account is restricted, and applies the response. known is false if WhatsApp has
// not responded.
func (d *Device) askTimelock(ctx context.Context) (known bool) {
	ctx, cancel := context.WithTimeout(ctx, timelockWait)
	defer cancel()
	data, err := d.client.DangerousInternals().SendMexIQ(ctx, timelockQuery, map[string]any{}) //nolint:staticcheck // whatsmeow has no function for it
	if err != nil {
		return false
	}
	t, known := parseTimelock(data)
	if until := t.until(time.Now()); known && (t.Active || d.restricted(ReachOutTimelock) > 0) {
		d.restrict(ReachOutTimelock, until)
	}
	return known
}

// proof returns what a message to a person contains to show that the account may write to them: the person's token, or a
// token that is derived from the account's salt; nil if there is neither.
func (d *Device) proof(ctx context.Context, to types.JID) []byte {
	client := d.client.DangerousInternals() //nolint:staticcheck // whatsmeow adds it to the message without reporting it
	if token, err := client.EnsureTCToken(ctx, to); err == nil && len(token) > 0 {
		return token
	}
	return client.GenerateCsToken(ctx, to)
}

// renewProof requests both kinds of tokens for a person. It reports whether a message would now contain another one than old.
func (d *Device) renewProof(ctx context.Context, to types.JID, old []byte) bool {
	ctx, cancel := context.WithTimeout(ctx, proofWait)
	defer cancel()
	client := d.client.DangerousInternals() //nolint:staticcheck // whatsmeow ignores the tokens of the response
	if answer, err := client.IssuePrivacyToken(ctx, to, time.Now()); err == nil {
		client.HandlePrivacyTokenNotification(ctx, &waBinary.Node{Tag: answer.Tag, Attrs: waBinary.Attrs{"from": to}, Content: answer.Content})
	}
	// A device that was linked with an earlier version of whatsmeow has never stored the salt.
	if salt, err := d.client.Store.NCTSalt.GetNCTSalt(ctx); err == nil && len(salt) == 0 && d.mayAskSalt() {
		_ = d.client.FetchAppState(ctx, appstate.WAPatchRegularHigh, true, false) // without it, there is no other token
	}
	now := d.proof(ctx, to)
	return len(now) > 0 && !bytes.Equal(now, old)
}

// mayAskSalt reports whether the salt was not requested recently, and counts the request.
func (d *Device) mayAskSalt() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if time.Since(d.saltAsked) < saltEvery {
		return false
	}
	d.saltAsked = time.Now()
	return true
}

// reachedOut handles error 463 of a message that had the proof old. If the account is restricted, strangers get nothing
// more until the end, because another attempt would prolong it. Otherwise, and for people who have written, it requests the
// missing token and submits the message again, once.
func (d *Device) reachedOut(ctx context.Context, p *Prepared, old []byte) *Failure {
	if known := d.askTimelock(ctx); !known && p.stranger && d.restricted(ReachOutTimelock) == 0 {
		d.restrict(ReachOutTimelock, time.Now().Add(unannounced))
	}
	f := &Failure{Class: Unreachable, Code: PrivacyToken, ProviderCode: reachOutError}
	locked := d.restricted(ReachOutTimelock) > 0
	switch {
	case locked:
		f.Code = ReachOutTimelock
	case p.RecipientID == "": // a group has no token
		f.Class, f.Code = Permanent, "refused"
	}
	if p.RecipientID == "" || locked && p.stranger || !d.renewProof(ctx, lidAddress(p.RecipientID), old) {
		return f
	}
	if again := d.submit(ctx, p); again == nil || again.ProviderCode != reachOutError {
		return again
	}
	return f
}
