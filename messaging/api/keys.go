package api

import (
	"net/http"
	"time"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/forms"
	"example.com/griot/internal/httpx"
	"example.com/griot/messaging/account"
)

type keyItem struct {
	ID         string       `json:"id"`
	Kind       account.Kind `json:"kind"`
	ProjectID  *string      `json:"projectId"`
	Name       *string      `json:"name"`
	Prefix     string       `json:"prefix"`
	Masked     string       `json:"masked"`
	CreatedBy  *string      `json:"createdBy"` // a member; null: the owner or an operator
	CreatedAt  string       `json:"createdAt"`
	LastUsedAt *string      `json:"lastUsedAt"`
	RevokedAt  *string      `json:"revokedAt"`
	ExpiresAt  *string      `json:"expiresAt"` // set if the key was replaced

	AssistantTools []string `json:"assistantTools"` // groups of additional tools at the assistant endpoint
}

type keysAnswer struct {
	Success bool      `json:"success"`
	Keys    []keyItem `json:"keys"`
}

type newKeyAnswer struct {
	Success bool    `json:"success"`
	Key     keyItem `json:"key"`
	Secret  string  `json:"secret"` // the key itself, returned only this once
}

func keyOf(k *account.Key) keyItem {
	return keyItem{
		ID: k.ID, Kind: k.Kind, ProjectID: textOrNull(k.ProjectID), Name: textOrNull(k.Name), Prefix: k.Prefix, Masked: mask(k.Prefix), CreatedBy: textOrNull(k.MemberID),
		CreatedAt: formatTime(k.CreatedAt), LastUsedAt: formatTimeOrNull(k.LastUsedAt), RevokedAt: formatTimeOrNull(k.RevokedAt), ExpiresAt: formatTimeOrNull(k.ExpiresAt),
		AssistantTools: k.Tools.Names(),
	}
}

// listKeys handles GET /api/keys. A member sees only the keys that they created.
func (a *API) listKeys(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	keys, err := a.o.Directory.KeysFor(r.Context(), c)
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
	Name      string       `json:"name"`
}

// createKey handles POST /api/keys. A member can create only project keys.
func (a *API) createKey(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	var in keyBody
	if err := a.http.DecodeJSON(w, r, &in); err != nil {
		return err
	}
	k, secret, err := a.o.Directory.MakeKeyFor(r.Context(), c, account.KeySpec{Kind: in.Kind, ProjectID: in.ProjectID, Name: in.Name})
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusCreated, newKeyAnswer{true, keyOf(k), secret})
}

type rotateBody struct {
	GraceSeconds *int64 `json:"graceSeconds"`
}

const defaultGrace = 24 * time.Hour

type rotatedKeyAnswer struct {
	Success  bool    `json:"success"`
	Key      keyItem `json:"key"`
	Secret   string  `json:"secret"` // the new key itself, returned only this once
	Replaced keyItem `json:"replaced"`
}

// rotateKey handles POST /api/keys/:id/rotate. For a member, the keys of others do not exist.
func (a *API) rotateKey(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	var in rotateBody
	if err := a.http.DecodeJSON(w, r, &in); err != nil {
		return err
	}
	grace := defaultGrace
	if s := in.GraceSeconds; s != nil {
		if *s < 0 || *s > int64(account.MaxGrace/time.Second) {
			return apierror.InvalidRequest.On("graceSeconds").Detailf("graceSeconds must be 0 to %d (seven days).", int64(account.MaxGrace/time.Second))
		}
		grace = time.Duration(*s) * time.Second
	}
	rotated, err := a.o.Directory.RotateKeyFor(r.Context(), c, r.PathValue("id"), grace, forms.Creation{})
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusCreated, rotatedKeyAnswer{true, keyOf(rotated.Key), rotated.Secret, keyOf(rotated.Replaced)})
}

type keyChange struct {
	AssistantTools *[]string `json:"assistantTools"`
}

type changedKeyAnswer struct {
	Success bool    `json:"success"`
	Key     keyItem `json:"key"`
}

// changeKey handles PATCH /api/keys/:id.
func (a *API) changeKey(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	var in keyChange
	if err := a.http.DecodeJSON(w, r, &in); err != nil {
		return err
	}
	if in.AssistantTools == nil {
		return apierror.InvalidRequest.On("assistantTools").Detailf("assistantTools is required.")
	}
	tools, err := account.ParseTools(*in.AssistantTools)
	if err != nil {
		return err
	}
	k, err := a.o.Directory.SetToolsFor(r.Context(), c, r.PathValue("id"), "", tools)
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusOK, changedKeyAnswer{true, keyOf(k)})
}

// revokeKey handles DELETE /api/keys/:id. For a member, the keys of others do not exist.
func (a *API) revokeKey(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	if err := a.o.Directory.RevokeKeyFor(r.Context(), c, r.PathValue("id")); err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusOK, doneAnswer{true})
}
