package message

// IsEmail reports whether a text is an e-mail address as messages take it.
func IsEmail(s string) bool {
	_, ok := parseEmail(s)
	return ok
}
