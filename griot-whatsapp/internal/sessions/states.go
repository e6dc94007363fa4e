package sessions

import (
	"bytes"

	"go.mau.fi/libsignal/state/record"
	wastore "go.mau.fi/whatsmeow/store"
)

// maxPrevious is libsignal's maximum number of earlier states in a session.
const maxPrevious = 40

// restored returns a session as it is after a message was decrypted. A session has several states if both sides have opened
// it at the same time, or again. libsignal tries a message with each of them, and a state that doesn't fit is changed
// nevertheless, so it fits no later message either. Here, only the state that fits is changed.
func restored(before, after []byte) []byte {
	if len(before) == 0 {
		return after
	}
	format := wastore.SignalProtobufSerializer.Session
	was, err := format.Deserialize(before)
	if err != nil {
		return after
	}
	is, err := format.Deserialize(after)
	if err != nil || is.SessionState == nil || len(is.SessionState.SenderBaseKey) == 0 {
		return after
	}
	var previous []*record.StateStructure
	for _, state := range append([]*record.StateStructure{was.SessionState}, was.PreviousStates...) {
		if state != nil && len(state.SenderBaseKey) > 0 && !bytes.Equal(state.SenderBaseKey, is.SessionState.SenderBaseKey) {
			previous = append(previous, state)
		}
	}
	if len(previous) == 0 && len(is.PreviousStates) == 0 {
		return after
	}
	is.PreviousStates = previous[:min(len(previous), maxPrevious)]
	return format.Serialize(is)
}
