// Package resubmit makes a form succeed again when a browser sends it twice, as a double click on a slow page does.
//
// The browser shows only the response to the second request, so that response must contain the object that the first
// request created: a session or a key. Neither is stored in plain text. Instead, its random part is derived from the
// form, from a cookie of the browser, and from the master key ([Seeds]). So for [Time], the same browser gets the same
// secret, and no one else does.
package resubmit
