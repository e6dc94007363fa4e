// Package phonetest provides phones for tests. A phone is a whatsmeow client that is linked to a person of a fakewhatsapp server.
package phonetest
