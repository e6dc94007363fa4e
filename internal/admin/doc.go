// Package admin runs an operator's commands of the command line in a running Griot.
//
// The commands are a table of [Verbs], one from each service. When no server runs, the command line executes them on the
// database itself. Otherwise the server does, because SQLite has one writer and a server's caches must see the change. It
// answers on its internal listener, only to this machine and to callers that have the master key.
package admin
