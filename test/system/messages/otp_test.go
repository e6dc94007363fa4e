package messages_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.com/griot/cmd/griot/exit"
	messagingverbs "example.com/griot/messaging/verbs"
	"example.com/griot/test/system/systemtest"
)

// A code is sent, the process is killed, and the next one verifies the code. In between, the code is not readable in
// the directory.
// Rules: M97.
func TestOTP_SurvivesKillAndIsNotInTheFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := systemtest.StartDev(t, dir, "--phones", "memory")
	key := "Authorization: Bearer " + p.Accounts.Business.LiveKey
	r := p.Call("POST", p.BaseURL+"/api/otp/send", `{"to":"22376000001","length":8}`, key)
	phone := p.Phone("22376000001")
	if r.Status != 200 || len(phone) != 1 || r.Text("channel") != "whatsapp" {
		t.Fatalf("%d %s, %d on the phone", r.Status, r.Raw, len(phone))
	}
	code := regexp.MustCompile(`^[0-9]{8}`).FindString(phone[0].Text)
	challenge := r.Text("challengeId")
	if got := systemtest.Metric(t, p.InternalURL, `griot_otp_issued_total{result="sent"}`); got != 1 {
		t.Errorf("%v codes are counted as sent, want 1", got)
	}
	logged := p.Out.String()
	p.Kill()
	files := 0
	if err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if files++; regexp.MustCompile(`(^|[^0-9])` + code + `([^0-9]|$)`).Match(b) {
			t.Errorf("the code is in %s", filepath.Base(path))
		}
		return err
	}); err != nil || files < 3 {
		t.Errorf("%d files, %v", files, err)
	}
	if code == "" || strings.Contains(logged, code) {
		t.Error("no code, or it is in the log")
	}
	p = systemtest.StartDev(t, dir, "--phones", "memory")
	for _, status := range []int{200, 400} {
		if r := p.Call("POST", p.BaseURL+"/api/otp/verify", fmt.Sprintf(`{"challengeId":%q,"code":%q}`, challenge, code), key); r.Status != status {
			t.Errorf("%d %s, want %d", r.Status, r.Raw, status)
		}
	}
	for _, result := range []string{"verified", "not_found"} {
		if got := systemtest.Metric(t, p.InternalURL, `griot_otp_verifications_total{result="`+result+`"}`); got != 1 {
			t.Errorf("%v codes are counted as %s, want 1", got, result)
		}
	}
}

func TestAdmin_SeesAndLiftsWhatHoldsCodesBack(t *testing.T) {
	t.Setenv("GRIOT_OTP_PREFIX_HOURLY", "1")
	t.Setenv("GRIOT_OTP_ACCOUNT_PERCENT", "0") // there is only one account
	t.Setenv("GRIOT_OTP_BREAKER_SAMPLE", "1")
	const whole = time.Minute // maximum duration of the test, because it is about one hour's codes
	if rest := time.Until(time.Now().Truncate(time.Hour).Add(time.Hour)); rest < whole {
		time.Sleep(rest)
	}
	dir := t.TempDir()
	p := systemtest.StartDev(t, dir, "--phones", "memory", "--rate-limits")
	o := &systemtest.Operator{T: t, Dir: t.TempDir(), Args: []string{"--data", dir}}
	send := func(number string) *systemtest.Reply {
		return p.Call("POST", p.BaseURL+"/api/otp/send", fmt.Sprintf(`{"to":%q,"channel":"sms"}`, number), "Authorization: Bearer "+p.Accounts.Business.LiveKey)
	}
	first := send("22376000001")
	if first.Status != 200 {
		t.Fatalf("got %d %s, want 200", first.Status, first.Raw)
	}
	if r := send("22376000002"); r.Status != 429 || r.Text("code") != "otp_blocked" || r.Header.Get("Retry-After") == "" {
		t.Errorf("got %d %s, want 429 otp_blocked with Retry-After", r.Status, r.Raw)
	}
	list := systemtest.RunJSON[messagingverbs.OTPTraffic](o, "otp", "list")
	if len(list.Prefixes) != 1 || list.Prefixes[0].AccountID != p.Accounts.Business.ID || list.Prefixes[0].Sent != 1 || list.Prefixes[0].Percent != 0 || list.Prefixes[0].BlockedUntil != nil {
		t.Errorf("prefixes %+v", list.Prefixes)
	}
	if len(list.Caps) != 2 || list.Caps[1].Prefix != "2237600" || list.Caps[1].Sent != 1 || *list.Caps[1].Most != 1 || list.Caps[0].Country != "223" {
		t.Errorf("caps %+v", list.Caps)
	}
	if s := o.Run("otp", "list"); !strings.HasPrefix(s, "ACCOUNT") || !strings.Contains(s, "2237600  223") || !strings.Contains(s, "THIS HOUR") {
		t.Errorf("list:\n%s", s)
	}
	if s := o.Run("otp", "lift", "2237600"); !strings.Contains(s, "lifted") {
		t.Errorf("lift: %s", s)
	}
	if r := send("22376000002"); r.Status != 200 {
		t.Errorf("after lifting: %d %s", r.Status, r.Raw)
	}
	o.MustFail("No codes are blocked for this prefix or country", "otp", "lift", "44")
	o.MustFail("No codes are blocked for this prefix or country", "otp", "lift", "2237600", "--account", p.Accounts.Business.ID)
	o.MustEnd(exit.CodeUsage, "exactly one AREA", "otp", "lift")
	o.MustFail("1 to 1000", "otp", "list", "--limit", "0")
	p.Stop()
	list = systemtest.RunJSON[messagingverbs.OTPTraffic](o, "otp", "list", "--limit", "1")
	if len(list.Prefixes) != 1 || list.Prefixes[0].Sent != 2 || len(list.Caps) != 1 || list.Caps[0].Most != nil {
		t.Errorf("without a server: %+v", list)
	}
}
