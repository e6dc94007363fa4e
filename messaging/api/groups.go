package api

import (
	"net/http"

	"example.com/griot/internal/httpx"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/delivery"
)

type groupsAnswer struct {
	Success    bool        `json:"success"`
	Groups     []groupItem `json:"groups"`
	Count      int         `json:"count"`
	Incomplete bool        `json:"incomplete,omitempty"`
}

type groupItem struct {
	ID           string `json:"id"`
	Name         string `json:"name"`
	Participants int    `json:"participants"`
	IsAdmin      bool   `json:"isAdmin"`
}

// groups handles GET /api/partner/whatsapp/groups. A caller that can only simulate gets a simulated group.
func (a *API) groups(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	sandbox, err := sandboxed(r, c.Kind == account.Test)
	if err != nil {
		return err
	}
	list := delivery.SimulatedGroups()
	if !sandbox {
		if list, err = a.o.Delivery.Groups(r.Context(), c.Account); err != nil {
			return err
		}
	}
	out := groupsAnswer{Success: true, Groups: make([]groupItem, 0, len(list.Groups)), Count: len(list.Groups), Incomplete: list.Incomplete}
	for _, g := range list.Groups {
		out.Groups = append(out.Groups, groupItem(g))
	}
	return httpx.WriteJSON(w, http.StatusOK, out)
}
