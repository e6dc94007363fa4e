package inbox

import "example.com/griot/internal/masterkey"

const boxPurpose = "inbox-media"

// Sealed lists the columns that are encrypted with the master key: attachments, the locations of attachments that are
// not fetched yet, and the events that wait for them.
func Sealed() []masterkey.Place {
	const chunksOfStep = 8
	return []masterkey.Place{
		{Table: "inbox_media", Column: "source", Purpose: boxPurpose, Key: "id"},
		{Table: "inbox_media", Column: "event", Purpose: boxPurpose, Key: "id"},
		{Table: "inbox_media_chunks", Column: "sealed", Purpose: boxPurpose, Key: "media_id", Part: "n", Size: chunksOfStep},
	}
}
