// Package phonetest has phones for tests: whatsmeow clients that are linked to the people of a fakewhatsapp server.
package phonetest
