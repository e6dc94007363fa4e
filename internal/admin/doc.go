// Package admin carries what an operator asks for from the command line to a
// running Griot.
//
// What can be asked for is a table of [Verbs], one from each service. The same
// table runs on the database itself when no server does; through the server
// otherwise, because SQLite has one writer and a server's caches must see the
// change. The server answers on its internal listener, to this machine only and
// only to who derived the same key from the master key.
package admin
