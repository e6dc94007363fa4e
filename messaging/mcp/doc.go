// Package mcp is the assistant endpoint (M141 to M151): the Model Context Protocol over its
// Streamable HTTP transport, with four tools over the inbox.
//
// It is stateless. A POST carries one JSON-RPC message and is answered with one; there
// are no sessions, no streams, and nothing but tools. Checks come in this order: the
// page that called, the method, the key and its plan, the content type, the size, the
// envelope, the protocol's version, and then the method's own. Errors before the envelope
// are HTTP statuses, errors of the envelope are JSON-RPC errors, and errors of a tool are
// results with isError, whose text is the error body of the HTTP interface: models read
// results, and can act on them.
//
// The texts that people wrote are read by a model that may follow instructions in them.
// So the results of the two reading tools begin with a warning, there is no structured
// copy of the result without it, and invisible characters are written as escapes.
package mcp
