// Package verb runs an operator's commands of the command line in a running Griot.
//
// Each service provides its commands as a table of [Verbs]. If no server runs, the command line executes them on the
// database itself. Otherwise the server executes them, because SQLite has only one writer and a server's caches must
// see the change. The server accepts them on its internal listener, only from this machine and from callers that have
// the master key.
package verb
