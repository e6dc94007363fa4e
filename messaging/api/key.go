package api

import (
	"net/http"

	"example.com/griot/internal/httpx"
	"example.com/griot/messaging/account"
)

// keyAnswer says whose the key is that was shown, so that nobody sends from an account that they took for another.
type keyAnswer struct {
	Success  bool         `json:"success"`
	Kind     account.Kind `json:"kind"`
	Account  meAccount    `json:"account"`
	Project  *keyProject  `json:"project"` // of a project's key
	Plan     string       `json:"plan"`    // that counts now
	Usage    meUsage      `json:"usage"`
	Features meFeatureSet `json:"features"` // that this key opens
}

type keyProject struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// describeKey: GET /api/key, for any key.
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
