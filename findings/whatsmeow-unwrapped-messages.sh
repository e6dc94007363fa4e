#!/usr/bin/env bash
# Topic: messages within other messages on WhatsApp, and a WhatsApp library for Go.
#
# Version: go.mau.fi/whatsmeow v0.0.0-20260921121126-35ae40906e74, from the Go module proxy.
# Date: 2026-11-29.
#
# A good guess: a received message is unwrapped, because the library calls UnwrapRaw on it ("fills the Message, IsEphemeral
# and IsViewOnce fields based on the raw message"), so a handler finds the text in Message.Conversation.
#
# Observed: waE2E.Message has 30 fields of the type FutureProofMessage, each of which holds another message. UnwrapRaw opens
# eight of them. With any of the others, such as a spoiler or an answer to a question, Message is still the wrapper: who
# reads its Conversation and ExtendedTextMessage finds no text, and takes a written message for an empty one.
#
# Output:
#   left closed: GroupMentionedMessage
#   left closed: EventCoverImage
#   left closed: StatusMentionMessage
#   left closed: PollCreationOptionImageMessage
#   left closed: AssociatedChildMessage
#   left closed: GroupStatusMentionMessage
#   left closed: PollCreationMessageV4
#   left closed: StatusAddYours
#   left closed: GroupStatusMessage
#   left closed: LimitSharingMessage
#   left closed: BotTaskMessage
#   left closed: QuestionMessage
#   left closed: GroupStatusMessageV2
#   left closed: BotForwardedMessage
#   left closed: QuestionReplyMessage
#   left closed: NewsletterAdminProfileMessage
#   left closed: SpoilerMessage
#   left closed: NewsletterAdminProfileStatusMessage
#   left closed: BotPlatformRegistrationSuccessMessage
#   left closed: NewsletterScheduledMessage
#   left closed: Acp2SettingMessage
#   left closed: AudioStickerMessage
#   8 of 30 wrappers are opened
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
go mod init example.com/finding 2>/dev/null
go get go.mau.fi/whatsmeow@v0.0.0-20260921121126-35ae40906e74 2>/dev/null

cat >main.go <<'GO'
package main

import (
	"fmt"
	"reflect"

	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/types/events"
	"google.golang.org/protobuf/proto"
)

func main() {
	inner := func() *waE2E.Message { return &waE2E.Message{Conversation: proto.String("Bonjour")} }
	wrapper := reflect.TypeFor[*waE2E.FutureProofMessage]()
	of := reflect.TypeFor[waE2E.Message]()
	opened, all := 0, 0
	for i := range of.NumField() {
		if of.Field(i).Type != wrapper {
			continue
		}
		m := &waE2E.Message{}
		reflect.ValueOf(m).Elem().Field(i).Set(reflect.ValueOf(&waE2E.FutureProofMessage{Message: inner()}))
		e := (&events.Message{RawMessage: m}).UnwrapRaw()
		all++
		if e.Message.GetConversation() == "Bonjour" {
			opened++
		} else {
			fmt.Println("left closed:", of.Field(i).Name)
		}
	}
	fmt.Printf("%d of %d wrappers are opened\n", opened, all)
}
GO
go mod tidy 2>/dev/null
go run . | tee output

diff output - <<'WANT'
left closed: GroupMentionedMessage
left closed: EventCoverImage
left closed: StatusMentionMessage
left closed: PollCreationOptionImageMessage
left closed: AssociatedChildMessage
left closed: GroupStatusMentionMessage
left closed: PollCreationMessageV4
left closed: StatusAddYours
left closed: GroupStatusMessage
left closed: LimitSharingMessage
left closed: BotTaskMessage
left closed: QuestionMessage
left closed: GroupStatusMessageV2
left closed: BotForwardedMessage
left closed: QuestionReplyMessage
left closed: NewsletterAdminProfileMessage
left closed: SpoilerMessage
left closed: NewsletterAdminProfileStatusMessage
left closed: BotPlatformRegistrationSuccessMessage
left closed: NewsletterScheduledMessage
left closed: Acp2SettingMessage
left closed: AudioStickerMessage
8 of 30 wrappers are opened
WANT
echo "unchanged"
