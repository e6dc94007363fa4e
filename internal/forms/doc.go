// Package forms makes the HTML forms of the dashboards safe to send late, twice, or without a session.
//
// A form that changes something carries the [Version] of the stored values that it shows. The transaction that saves
// the form reads these values again and calls [CheckVersion] with both versions. A version is derived from the values,
// so every writer counts, and a table needs no column for it.
//
// A form that creates something succeeds again when a browser sends it twice, as a double click on a slow page does. The
// browser shows only the response to the second request, so that response must contain the object that the first
// request created: a session or a key. Neither is stored in plain text. Instead, its random part is derived from the
// form, from a cookie of the browser, and from the master key ([Seeds]). So for [RepeatTime], the same browser gets the
// same secret, and no one else does.
//
// A form whose session has ended is kept until the same person has signed in again ([Keeper]). Each form of a page has a
// mark: its person, its account, and its page, with a signature. A form that arrives without a session is not executed.
// Its fields are sealed, and are passed on in a hidden input of the sign-in pages. Nothing is stored. After the sign-in,
// the page of the form is shown with the fields filled in, and the person can send it.
package forms
