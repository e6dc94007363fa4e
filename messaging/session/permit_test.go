package session_test

import (
	"testing"

	"example.com/griot/messaging/account"
	"example.com/griot/messaging/session"
)

func TestPermit_SaysWhomItIncludes(t *testing.T) {
	t.Parallel()
	for permit, want := range map[session.Permit]string{
		{}:                          "",
		session.AnyKeys:             "any key",
		session.OnlyBearer:          "live key as Authorization: Bearer",
		session.Members:             "owner, developer, viewer",
		session.OwnersOrAccountKeys: "live key, test key, owner",
		session.Makers.WithCode():   "owner, developer, with a recent code",
	} {
		if got := permit.String(); got != want {
			t.Errorf("%+v: %q, want %q", permit, got, want)
		}
	}
}

func TestPermit_TheZeroPermitIsNobodys(t *testing.T) {
	t.Parallel()
	for _, role := range []account.Role{account.RoleOwner, account.RoleDeveloper, account.RoleViewer, ""} {
		if (session.Permit{}).Allows(role) {
			t.Errorf("%q is allowed", role)
		}
	}
	for role, want := range map[account.Role]bool{account.RoleOwner: true, account.RoleDeveloper: false, account.RoleViewer: true, "": false} {
		if got := session.Analysts.Allows(role); got != want {
			t.Errorf("%q: %v, want %v", role, got, want)
		}
	}
}
