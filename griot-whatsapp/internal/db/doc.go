// Package db opens the gateway's database, a file of SQLite's or PostgreSQL, through a driver that seals every binary value
// on its way in and opens it on its way out. Keys, sessions, and contents are binary in whatsmeow's tables and in ours, and so
// nothing has to know that they are sealed. Texts are stored as they are: numbers, names, ids.
package db
