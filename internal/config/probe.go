package config

import "time"

// Probe is the listener for those who supervise the process: /livez, /readyz, and /metrics, and nothing else.
type Probe struct {
	Listen string `yaml:"listen" env:"LISTEN"` // empty: there is none
}

// maxDrainDelay is what supervisors wait at most before they kill.
const maxDrainDelay = 5 * time.Minute

func (c *Config) checkDrain(p *CheckError) {
	if c.DrainDelay < 0 || c.DrainDelay > maxDrainDelay {
		p.add("drain_delay", "must be 0s to 5m", "")
	}
}
