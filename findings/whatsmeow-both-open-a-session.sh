#!/usr/bin/env bash
# Topic: two people who write to each other for the first time at the same moment, and a WhatsApp library for Go.
#
# Version: go.mau.fi/whatsmeow v0.0.0-20260921121126-35ae40906e74, go.mau.fi/libsignal of its go.mod, and modernc.org/sqlite
# v1.60.1, from the Go module proxy.
# Date: 2026-11-30.
#
# A good guess: the Signal protocol allows that both sides open a session at the same moment. Each keeps both states, and
# tries a message with the one and then with the other, so every message stays readable, whatever state was used for it.
#
# Observed: a state is changed in place before the message's authentication code is compared, and stays changed if the code
# doesn't fit. If the other state then opens the message, the whole session is stored, with the state that didn't fit. So this
# state fits no later message either. After a few messages that crossed, neither side can read the other one, and sending more
# doesn't mend it.
#
# Output: the messages of A and B, as the other one receives them.
#   the first message of B: readable
#   the first message of A: readable
#   an answer of B: readable
#   the second message of A: readable
#   the third message of A: readable
#   another answer of B: not readable
#   the fourth message of A: not readable
#   later message 1 of B: not readable
#   later message 1 of A: not readable
#   later message 2 of B: not readable
#   later message 2 of A: not readable
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
go mod init example.com/finding 2>/dev/null
go get go.mau.fi/whatsmeow@v0.0.0-20260921121126-35ae40906e74 modernc.org/sqlite@v1.60.1 2>/dev/null

cat >main.go <<'GO'
package main

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"go.mau.fi/libsignal/ecc"
	"go.mau.fi/libsignal/keys/identity"
	"go.mau.fi/libsignal/keys/prekey"
	"go.mau.fi/libsignal/logger"
	"go.mau.fi/libsignal/util/optional"
	"go.mau.fi/whatsmeow"
	waBinary "go.mau.fi/whatsmeow/binary"
	"go.mau.fi/whatsmeow/proto/waAdv"
	"go.mau.fi/whatsmeow/store/sqlstore"
	"go.mau.fi/whatsmeow/types"
	_ "modernc.org/sqlite"
)

var ctx = context.Background()

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// open returns a client with its own store.
func open(name string) *whatsmeow.Client {
	file := must(sql.Open("sqlite", "file:"+name+".db?_pragma=foreign_keys(1)&_pragma=journal_mode(WAL)"))
	devices := sqlstore.NewWithDB(file, "sqlite", nil)
	if err := devices.Upgrade(ctx); err != nil {
		panic(err)
	}
	own := devices.NewDevice()
	id := types.JID{User: name, Server: types.DefaultUserServer, Device: 1}
	own.ID, own.LID = &id, types.JID{User: name, Server: types.HiddenUserServer, Device: 1}
	own.Account = &waAdv.ADVSignedDeviceIdentity{
		Details: []byte{1}, AccountSignatureKey: make([]byte, 32), AccountSignature: make([]byte, 64), DeviceSignature: make([]byte, 64),
	}
	if err := own.Save(ctx); err != nil {
		panic(err)
	}
	return whatsmeow.NewClient(own, nil)
}

// padded returns a text as whatsmeow pads it.
func padded(text string) []byte { return append([]byte(text), 1) }

func enc(n *waBinary.Node) *waBinary.Node {
	if n.Tag == "to" {
		return enc(&n.GetChildren()[0])
	}
	return n
}

// send encrypts a message as SendMessage does.
func send(from, to *whatsmeow.Client, text string) *waBinary.Node {
	nodes, _, err := from.DangerousInternals().EncryptMessageForDevices(ctx, []types.JID{to.Store.LID}, "3EB0", padded(text), nil, waBinary.Attrs{})
	if err != nil || len(nodes) != 1 {
		panic(fmt.Sprint(len(nodes), err))
	}
	return enc(&nodes[0])
}

func receive(at, from *whatsmeow.Client, n *waBinary.Node) error {
	kind, _ := n.Attrs["type"].(string)
	_, _, err := at.DangerousInternals().DecryptDM(ctx, n, from.Store.LID, kind == "pkmsg", time.Now())
	return err
}

type silent struct{}

func (silent) Debug(string, string)   {}
func (silent) Info(string, string)    {}
func (silent) Warning(string, string) {}
func (silent) Error(string, string)   {}
func (silent) Configure(string)       {}

// first encrypts the first message to a client, with a session that it opens.
func first(from, to *whatsmeow.Client) *waBinary.Node {
	one := must(to.Store.PreKeys.GenOnePreKey(ctx))
	bundle := prekey.NewBundle(to.Store.RegistrationID, 1, optional.NewOptionalUint32(one.KeyID), to.Store.SignedPreKey.KeyID,
		ecc.NewDjbECPublicKey(*one.Pub), ecc.NewDjbECPublicKey(*to.Store.SignedPreKey.Pub), *to.Store.SignedPreKey.Signature,
		identity.NewKey(ecc.NewDjbECPublicKey(*to.Store.IdentityKey.Pub)))
	n, _, err := from.DangerousInternals().EncryptMessageForDevice(ctx, padded("first"), to.Store.LID, bundle, waBinary.Attrs{}, nil)
	if err != nil {
		panic(err)
	}
	return n
}

func main() {
	var quiet logger.Loggable = silent{}
	logger.Setup(&quiet)
	a, b := open("900001"), open("100001")
	readable := func(at, from *whatsmeow.Client, what string, n *waBinary.Node) {
		if err := receive(at, from, n); err != nil {
			fmt.Printf("%s: not readable\n", what)
			return
		}
		fmt.Printf("%s: readable\n", what)
	}
	firstOfA, firstOfB := first(a, b), first(b, a)
	secondOfA := send(a, b, "second")
	readable(a, b, "the first message of B", firstOfB)
	thirdOfA := send(a, b, "third")
	readable(b, a, "the first message of A", firstOfA)
	readable(a, b, "an answer of B", send(b, a, "answer"))
	fourthOfA := send(a, b, "fourth")
	readable(b, a, "the second message of A", secondOfA)
	readable(b, a, "the third message of A", thirdOfA)
	readable(a, b, "another answer of B", send(b, a, "another answer"))
	readable(b, a, "the fourth message of A", fourthOfA)
	for n := range 2 {
		readable(a, b, fmt.Sprint("later message ", n+1, " of B"), send(b, a, "later"))
		readable(b, a, fmt.Sprint("later message ", n+1, " of A"), send(a, b, "later"))
	}
}
GO
go mod tidy 2>/dev/null
go run . | tee output

diff output - <<'WANT'
the first message of B: readable
the first message of A: readable
an answer of B: readable
the second message of A: readable
the third message of A: readable
another answer of B: not readable
the fourth message of A: not readable
later message 1 of B: not readable
later message 1 of A: not readable
later message 2 of B: not readable
later message 2 of A: not readable
WANT
echo "unchanged"
