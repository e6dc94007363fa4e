package seal

// WrongKeyError is the error of a master key that is not the one a deployment uses. Its text is the same wherever that is noticed.
type WrongKeyError struct {
	Configured string // the name of the key
	Used       string // by the deployment; empty: not known
}

func (e *WrongKeyError) Error() string {
	used := ""
	if e.Used != "" {
		used = " (" + e.Used + ")"
	}
	return "the configured master key (" + e.Configured + ") is not the one of this deployment" + used + ": configure the deployment's key, or restore it from its copy"
}
