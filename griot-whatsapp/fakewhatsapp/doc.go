// Package fakewhatsapp is a WhatsApp server for tests. It implements the Noise handshake, binary XML, pairing with QR
// codes and pairing codes, prekeys, usync with LIDs, fan-out, acks, receipts, a queue for offline devices, groups,
// media, and scripted faults. It contains no Signal code. Instead, both ends of a conversation, including the phones,
// are whatsmeow clients that run real Signal sessions. Only tests import it.
//
// The server is an interpretation of WhatsApp. It tests the gateway against whatsmeow, but it does not test whatsmeow
// against the real WhatsApp.
package fakewhatsapp
