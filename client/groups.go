package griot

import "context"

// A GroupPage lists the WhatsApp groups that the account can write to.
type GroupPage struct {
	Answer
	Groups     []Group `json:"groups"`
	Count      int     `json:"count"`
	Incomplete bool    `json:"incomplete"` // a gateway could not list its groups, so some might be missing
}

// A Group is a WhatsApp group.
type Group struct {
	ID           string `json:"id"` // value for [Message.GroupID]
	Name         string `json:"name"`
	Participants int    `json:"participants"`
	IsAdmin      bool   `json:"isAdmin"` // one of the account's senders is an administrator of the group
}

// Groups lists the WhatsApp groups that the account's senders belong to. Project keys have no access.
func (c *Client) Groups(ctx context.Context) (*GroupPage, error) {
	return get[GroupPage](ctx, c, "/api/partner/whatsapp/groups", nil)
}
