package dashboard

import (
	"cmp"

	"example.com/griot/internal/phone"
	"example.com/griot/internal/visible"
	"example.com/griot/internal/whatsappid"
	"example.com/griot/messaging/inbox"
)

// shownAddress returns an address in the form for pages: a number in groups, a WhatsApp ID in its short form, and any
// other address unchanged.
func shownAddress(address string) string {
	if id, ok := whatsappid.Parse(address); ok {
		return id.Short()
	}
	return phone.Grouped(address)
}

// contactName returns the name that a contact has chosen, or otherwise the contact's address.
func contactName(c *inbox.Conversation) string {
	return cmp.Or(visible.Trim(c.Name), contactAddress(c))
}

// contactAddress returns a contact's number or, if WhatsApp hides it, the username or the WhatsApp ID.
func contactAddress(c *inbox.Conversation) string {
	if c.Phone == "" && c.Username != "" {
		return "@" + c.Username
	}
	return shownAddress(c.Address())
}
