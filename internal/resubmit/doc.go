// Package resubmit makes a form succeed again when a browser sends it twice, as a double click on a slow page does.
//
// The browser shows the response to the second request only, so that one must have what the first one made: a session, or
// a key. Neither is stored in the clear. Instead, its random part is derived from the form, from a cookie of the browser,
// and from the master key ([Seeds]). For [Time], the same browser therefore gets the same secret, and nobody else does.
package resubmit
