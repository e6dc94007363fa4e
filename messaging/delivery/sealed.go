package delivery

import "example.com/griot/internal/masterkey"

const boxPurpose = "message-content"

// Sealed lists the columns that are encrypted with the master key: the contents of sensitive messages that have not
// ended, or might take another route.
func Sealed() []masterkey.Place {
	return []masterkey.Place{{
		Table: "messages", Column: "content", Purpose: boxPurpose, Key: "id", Wrapped: true,
		Where: []string{`due_at IS NOT NULL AND sensitive = 1`, `status = 'QUEUED' AND due_at IS NULL AND sensitive = 1`},
	}}
}
