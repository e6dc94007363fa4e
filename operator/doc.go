// Package operator has the pages for the operator of a deployment, on the internal listener: its health, and everything
// that `griot admin` can change.
//
// Opening them requires the master key: [Pages.Verbs] has the verb that creates a link, which is valid once and for a
// minute. Its token is in the fragment of the URL, which browsers don't send. The page's script redeems it by a POST,
// and a form does so without scripts. Links and sessions are in the memory of the process. The pages only accept
// requests from this machine with one of its names as the host, so that no other site can point its own name to them.
// Every form must come from these pages' own origin.
//
// The pages read and change data only through the verbs of [example.com/griot/internal/verb], so the checks, limits,
// and audit lines are those of the command line. The result of a form, or the reason for its refusal, is stored in the
// session for the page after its 303.
package operator
