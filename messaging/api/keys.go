package api

import (
	"net/http"

	"griot/internal/fault"
	"griot/internal/httpx"
	"griot/messaging/account"
)

type keyItem struct {
	ID         string       `json:"id"`
	Kind       account.Kind `json:"kind"`
	ProjectID  *string      `json:"projectId"`
	Prefix     string       `json:"prefix"`
	Masked     string       `json:"masked"`
	CreatedBy  *string      `json:"createdBy"` // a member; null: the owner or an operator
	CreatedAt  string       `json:"createdAt"`
	LastUsedAt *string      `json:"lastUsedAt"`
	RevokedAt  *string      `json:"revokedAt"`
}

type keysAnswer struct {
	Success bool      `json:"success"`
	Keys    []keyItem `json:"keys"`
}

type newKeyAnswer struct {
	Success bool    `json:"success"`
	Key     keyItem `json:"key"`
	Secret  string  `json:"secret"` // the key itself, this once
}

func keyOf(k *account.Key) keyItem {
	return keyItem{
		ID: k.ID, Kind: k.Kind, ProjectID: textOrNull(k.ProjectID), Prefix: k.Prefix, Masked: mask(k.Prefix), CreatedBy: textOrNull(k.MemberID),
		CreatedAt: formatTime(k.CreatedAt), LastUsedAt: formatTimeOrNull(k.LastUsedAt), RevokedAt: formatTimeOrNull(k.RevokedAt),
	}
}

// listKeys: GET /api/keys; a member sees those that they made.
func (a *API) listKeys(w http.ResponseWriter, r *http.Request) error {
	c, err := a.session(w, r)
	if err != nil {
		return err
	}
	keys, err := a.o.Directory.Keys(r.Context(), c.Account.ID, c.MemberID)
	if err != nil {
		return err
	}
	out := keysAnswer{Success: true, Keys: []keyItem{}}
	for i := range keys {
		out.Keys = append(out.Keys, keyOf(&keys[i]))
	}
	return httpx.WriteJSON(w, http.StatusOK, out)
}

type keyBody struct {
	Kind      account.Kind `json:"kind"`
	ProjectID string       `json:"projectId"`
}

// createKey: POST /api/keys; a member makes project keys.
func (a *API) createKey(w http.ResponseWriter, r *http.Request) error {
	c, err := a.session(w, r)
	if err != nil {
		return err
	}
	var in keyBody
	if err := a.http.DecodeJSON(w, r, &in); err != nil {
		return err
	}
	switch in.Kind {
	case account.Live, account.Test:
		if !c.Owner() {
			return fault.Forbidden.On("kind").Detailf("A developer makes project keys.")
		}
	case account.ProjectKey:
	default:
		return fault.InvalidRequest.On("kind").Detailf("kind is live, test or project.")
	}
	k, secret, err := a.o.Directory.MakeKey(r.Context(), account.KeySpec{AccountID: c.Account.ID, ProjectID: in.ProjectID, Kind: in.Kind, MemberID: c.MemberID})
	if err != nil {
		return refused(err)
	}
	return httpx.WriteJSON(w, http.StatusCreated, newKeyAnswer{true, keyOf(k), secret})
}

// revokeKey: DELETE /api/keys/:id. To a member the keys of others do not exist.
func (a *API) revokeKey(w http.ResponseWriter, r *http.Request) error {
	c, err := a.session(w, r)
	if err != nil {
		return err
	}
	found, err := a.o.Directory.RevokeKey(r.Context(), c.Account.ID, c.MemberID, r.PathValue("id"))
	if err != nil {
		return err
	}
	if !found {
		return fault.KeyNotFound.Err()
	}
	return httpx.WriteJSON(w, http.StatusOK, doneAnswer{true})
}
