// Package operator has the pages of whoever runs a deployment, on the internal listener: how it does, and what `griot admin` can change.
//
// Who has the master key opens them: [Pages.Verbs] has the verb that makes a link, valid once and for a minute. Its token stands in the
// fragment of the address, which browsers send to nobody; the page's script redeems it by a POST, and a form does without scripts.
// Links and sessions are in the memory of the process. Requests are answered only from this machine and under a name of it, so that no
// other site can point a name of its own here; every form is posted from these pages' own origin.
//
// The pages read and change by the verbs of [example.com/griot/internal/admin] alone, so that the checks, limits, and audit lines are those of the
// command line. What a form has made, and why it was refused, is kept in the session for the page that its 303 leads to.
package operator
