package account_test

import (
	"errors"
	"testing"
	"time"

	"example.com/griot/internal/apierror"
	"example.com/griot/messaging/account"
)

func TestPermit_SaysWhomItIncludes(t *testing.T) {
	t.Parallel()
	for want, permit := range map[string]account.Permit{
		"":                                     {},
		"any key, also while suspended":        account.MaySend,
		"live key as Authorization: Bearer":    account.MayCallTools,
		"owner, developer, viewer":             account.MayReadAlerts,
		"live key, test key, owner":            account.MayCancelMessages,
		"owner, developer, with a recent code": account.MayChangeKeys,
	} {
		if got := permit.String(); got != want {
			t.Errorf("%+v: %q, want %q", permit, got, want)
		}
	}
}

func TestPermit_TheZeroPermitIsNobodys(t *testing.T) {
	t.Parallel()
	for _, role := range []account.Role{account.RoleOwner, account.RoleDeveloper, account.RoleViewer, ""} {
		if (account.Permit{}).Allows(role) {
			t.Errorf("%q is allowed", role)
		}
	}
	for role, want := range map[account.Role]bool{account.RoleOwner: true, account.RoleDeveloper: false, account.RoleViewer: true, "": false} {
		if got := account.MayReadAccountStatistics.Allows(role); got != want {
			t.Errorf("%q: %v, want %v", role, got, want)
		}
	}
}

// The reason of a refusal depends on the kind of the caller, and a suspension comes first.
func TestPermit_Check(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	open, suspended := &account.Account{}, &account.Account{SuspendedAt: now}
	person := func(r account.Role) *account.Caller {
		c := &account.Caller{Account: open, Kind: account.Dashboard, Role: r}
		if r != account.RoleOwner {
			c.MemberID = "m"
		}
		return c
	}
	withCode := person(account.RoleOwner)
	withCode.CodeAt = now.Add(-time.Minute)
	key := func(k account.Kind) *account.Caller { return &account.Caller{Account: open, Kind: k} }
	for name, tc := range map[string]struct {
		permit account.Permit
		c      *account.Caller
		want   *apierror.Kind
	}{
		"an owner":                       {account.MayManageOptOuts, person(account.RoleOwner), nil},
		"a viewer":                       {account.MayManageOptOuts, person(account.RoleViewer), apierror.Forbidden},
		"a developer":                    {account.MayChangeProjects, person(account.RoleDeveloper), nil},
		"without a code":                 {account.MayChangeMembers, person(account.RoleOwner), apierror.RecentCodeRequired},
		"with a code":                    {account.MayChangeMembers, withCode, nil},
		"a viewer without a code":        {account.MayChangeMembers, person(account.RoleViewer), apierror.Forbidden},
		"a live key":                     {account.MayManageOptOuts, key(account.Live), nil},
		"a test key for a live key":      {account.MayManageOptOuts, key(account.Test), apierror.LiveKeyRequired},
		"a project's key":                {account.MayVerifyCodes, key(account.ProjectKey), apierror.Forbidden},
		"a key for people":               {account.MayListMembers, key(account.Live), apierror.SessionRequired},
		"a person for keys":              {account.MaySend, person(account.RoleOwner), apierror.Forbidden},
		"a suspended account":            {account.MayListMembers, &account.Caller{Account: suspended, Kind: account.Dashboard, Role: account.RoleViewer}, apierror.AccountSuspended},
		"a suspended account that sends": {account.MaySend, &account.Caller{Account: suspended, Kind: account.Live}, nil},
	} {
		err := tc.permit.Check(tc.c, now)
		if tc.want == nil && err != nil || tc.want != nil && !errors.Is(err, tc.want.Err()) {
			t.Errorf("%s: %v, want %v", name, err, tc.want)
		}
	}
}
