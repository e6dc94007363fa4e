// Package fakewhatsapp is a WhatsApp server for tests: Noise handshake, binary XML, pairing by QR code and by phone code,
// prekeys, usync with LIDs, fan-out, acks, receipts, a queue for devices that are away, groups, media, and faults by script.
// It holds no Signal code: both ends of a conversation are whatsmeow clients, the phones too, so that both run real Signal
// sessions. Only tests import it.
//
// It is our reading of WhatsApp, not WhatsApp: it proves our code against whatsmeow, and not whatsmeow against Meta.
package fakewhatsapp
