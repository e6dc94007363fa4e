package config

import "time"

// Probe is the listener for supervisors of the process. It serves only /livez, /readyz, and /metrics.
type Probe struct {
	Listen string `yaml:"listen" env:"LISTEN"` // empty: disabled
}

// maxDrainDelay is the longest time that supervisors wait before they kill a process.
const maxDrainDelay = 5 * time.Minute

func (c *Config) checkDrain(p *CheckError) {
	if c.DrainDelay < 0 || c.DrainDelay > maxDrainDelay {
		p.add("drain_delay", "must be 0s to 5m", "")
	}
}
