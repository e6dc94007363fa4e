package api

import (
	"net/http"

	"example.com/griot/internal/httpx"
	"example.com/griot/messaging/account"
)

// A keyAnswer describes an API key with its owner, so that no one sends from the wrong account.
type keyAnswer struct {
	Success  bool         `json:"success"`
	Kind     account.Kind `json:"kind"`
	Account  meAccount    `json:"account"`
	Project  *keyProject  `json:"project"` // for project keys
	Plan     string       `json:"plan"`    // the plan in effect
	Usage    meUsage      `json:"usage"`
	Features meFeatureSet `json:"features"` // features that this key can use
}

type keyProject struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// describeKey handles GET /api/key, for any key.
func (a *API) describeKey(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	of := c.Account
	open := of.Plan.Inbox && c.Owner()
	out := keyAnswer{Success: true, Kind: c.Kind, Account: meAccount{of.ID, of.Name}, Plan: of.Plan.Name, Features: meFeatureSet{Inbox: open, MCP: open}}
	var err error
	if out.Usage, err = a.meUsage(r.Context(), of); err != nil {
		return err
	}
	if c.ProjectID != "" {
		out.Project = &keyProject{ID: c.ProjectID}
		projects, err := a.o.Directory.Projects(r.Context(), of.ID)
		if err != nil {
			return err
		}
		for _, p := range projects {
			if p.ID == c.ProjectID {
				out.Project.Name = p.Name
			}
		}
	}
	return httpx.WriteJSON(w, http.StatusOK, out)
}
