package tenant

import (
	"context"
	"time"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/forms"
	"example.com/griot/internal/id"
	"example.com/griot/internal/seal"
)

// DashboardTime is the lifetime of a session of the dashboard.
const DashboardTime = time.Hour // L145

// Types of the dashboard's audit events.
const (
	DashboardLogin       = "dashboard.login"
	DashboardLoginFailed = "dashboard.login_failed"
	DashboardLogout      = "dashboard.logout"
)

// dashboardSession is a new session of the dashboard, with the key that opens it.
type dashboardSession struct {
	id, tenantID, keyHash string
	now, expires          time.Time
}

// OpenDashboard exchanges an invitation key for a one-hour session and returns the token
// for the browser's cookie. opened is false if the key is invalid for the tenant; the
// failure is counted if the tenant exists.
//
// The token of a single-use key's session is derived from seeds. For [forms.RepeatTime],
// the key returns that session again to a caller with the same seeds, if it is still
// open.
func (s *Store) OpenDashboard(ctx context.Context, tenantID, key string, seeds forms.Seeds, caller Caller) (token string, opened bool, err error) {
	now := s.now()
	d := &dashboardSession{id: id.New(now), tenantID: tenantID, keyHash: seal.Hash(key), now: now, expires: now.Add(DashboardTime)}
	login := Event{ID: id.New(now), TenantID: tenantID, Type: DashboardLogin, At: now, Actor: ActorTenant, Caller: caller}
	failed := login
	failed.Type, failed.ErrorCode = DashboardLoginFailed, apierror.AuthInvitationInvalid.Code
	known := false
	err = s.db.Write(ctx, func(tx *db.Tx) (err error) {
		invitation, used, err := useInvitation(tx, d)
		if err != nil {
			return err
		}
		if opened = used; !used {
			if token, opened, err = openedBefore(tx, tenantID, seeds, now); err != nil || opened {
				return err
			}
			known, err = hasTenant(tx, tenantID)
			return err
		}
		if token = id.Token(32); invitation.SingleUse {
			token = forms.Token(seeds.First())
		}
		if err := insertDashboard(tx, d, invitation.ID, seal.Hash(token)); err != nil {
			return err
		}
		return Record(tx, &login)
	})
	if err != nil {
		return "", false, err
	}
	if !opened {
		if known {
			s.Count(&failed)
		}
		return "", false, nil
	}
	return token, true, nil
}

// openedBefore returns the token of the session that was recently opened with one of the seeds.
func openedBefore(tx *db.Tx, tenantID string, seeds forms.Seeds, now time.Time) (token string, found bool, err error) {
	for _, seed := range seeds {
		token = forms.Token(seed)
		if found, err = hasDashboard(tx, tenantID, seal.Hash(token), forms.RepeatsSince(now)); err != nil || found {
			return token, found, err
		}
	}
	return "", false, nil
}

// Dashboard returns the tenant of a token's live session; nil if there is none.
func (s *Store) Dashboard(ctx context.Context, token string) (*Tenant, error) {
	return s.selectDashboard(ctx, seal.Hash(token), s.now())
}

// CloseDashboard ends a token's session; closed is false if it had ended before.
func (s *Store) CloseDashboard(ctx context.Context, token string, caller Caller) (closed bool, err error) {
	now := s.now()
	hash := seal.Hash(token)
	logout := Event{ID: id.New(now), Type: DashboardLogout, At: now, Actor: ActorTenant, Caller: caller}
	err = s.db.Write(ctx, func(tx *db.Tx) (err error) {
		e := logout
		if closed, err = deleteDashboard(tx, hash, now, &e.TenantID); err != nil || !closed {
			return err
		}
		return Record(tx, &e)
	})
	return closed && err == nil, err
}
