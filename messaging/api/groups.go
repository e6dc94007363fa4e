package api

import (
	"net/http"

	"example.com/griot/internal/httpx"
	"example.com/griot/messaging/account"
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
	simulated, err := sandboxed(r, false)
	if err != nil {
		return err
	}
	list, err := a.o.Delivery.Groups(r.Context(), c, simulated)
	if err != nil {
		return err
	}
	out := groupsAnswer{Success: true, Groups: make([]groupItem, 0, len(list.Groups)), Count: len(list.Groups), Incomplete: list.Incomplete}
	for _, g := range list.Groups {
		out.Groups = append(out.Groups, groupItem(g))
	}
	return httpx.WriteJSON(w, http.StatusOK, out)
}
