package griot

import "context"

// GroupPage is the WhatsApp groups that the account can write to.
type GroupPage struct {
	Answer
	Groups     []Group `json:"groups"`
	Count      int     `json:"count"`
	Incomplete bool    `json:"incomplete"` // a gateway could not list its groups: there may be others
}

// Group is a WhatsApp group.
type Group struct {
	ID           string `json:"id"` // for [Message.GroupID]
	Name         string `json:"name"`
	Participants int    `json:"participants"`
	IsAdmin      bool   `json:"isAdmin"` // one of the account's senders administers it
}

// Groups lists the WhatsApp groups that the account's senders belong to. A project's key has no access.
func (c *Client) Groups(ctx context.Context) (*GroupPage, error) {
	return get[GroupPage](ctx, c, "/api/partner/whatsapp/groups", nil)
}
