// Package mcp is the assistant endpoint: the Model Context Protocol over its
// Streamable HTTP transport, with four tools over the inbox.
//
// It is stateless. A POST carries one JSON-RPC message and is answered with one; there
// are no sessions, no streams, and nothing but tools. Checks come in this order: the
// page that called, the method, the key and its plan, the content type, the size, the
// envelope, the protocol's version, and then the method's own. What goes wrong before the
// envelope is told by the HTTP status, what is wrong with it by a JSON-RPC error, and what
// a tool could not do by a result with isError, whose text is the error body of the
// HTTP interface: models read results, and can do something about them.
//
// What people wrote is shown to a machine that may obey it. So the two tools that
// read begin with a warning, there is no structured copy of the result that would lose
// it, and characters that cannot be seen are written as escapes.
package mcp
