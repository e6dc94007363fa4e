package api

// manageLogin limits what one address tries.
func (l *limits) manageLogin(ip string) error {
	if l == nil {
		return nil
	}
	return answer(l.dashboardIP.Allow(ip))
}

// manageTenant refuses a tenant whose keys are being guessed.
func (l *limits) manageTenant(tenantID string) error {
	if l == nil {
		return nil
	}
	return answer(l.dashboardFailure.Check(tenantID))
}

func (l *limits) manageLoginFailed(tenantID string) {
	if l != nil {
		l.dashboardFailure.Allow(tenantID)
	}
}
