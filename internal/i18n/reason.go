package i18n

// CauseKey is the prefix of the keys of the reasons of failed messages. Their code follows, or one of the classes.
const CauseKey = "reason.cause."

// Reason explains the failure of a message in two sentences. code is the given code, or its class if only the class has
// an explanation, or empty if neither has one.
func (l Lang) Reason(given, class string) (code, cause, advice string) {
	for _, code := range []string{given, class} {
		if l.Has(CauseKey + code) {
			return code, l.T(CauseKey + code), l.T("reason.advice." + code)
		}
	}
	return "", "", ""
}
