package phone

import "strings"

// localPrefix is what no number, email address, or ID starts with.
const localPrefix = "local:"

// Local returns the address of a sender that isn't an international number, as the network wrote it: a national number, a
// short code, or a name. It is never equal to the address of a person, because it isn't certain whose it is.
func Local(sender string) string { return localPrefix + sender }

// CutLocal returns the sender of an address by [Local]. ok is false for any other address, and without a sender.
func CutLocal(address string) (sender string, ok bool) {
	sender, ok = strings.CutPrefix(address, localPrefix)
	return sender, ok && sender != ""
}
