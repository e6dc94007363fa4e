package seal

// WrongKeyError is the error for a master key that is not the deployment's. Its text is the same everywhere.
type WrongKeyError struct {
	Configured string // the name of the key
	Used       string // by the deployment; empty: unknown
}

func (e *WrongKeyError) Error() string {
	used := ""
	if e.Used != "" {
		used = " (" + e.Used + ")"
	}
	return "the configured master key (" + e.Configured + ") is not the one of this deployment" + used + ": configure the deployment's key, or restore it from its copy"
}
