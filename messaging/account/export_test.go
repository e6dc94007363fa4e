package account

import "time"

// SetLookEvery changes how often a directory looks for what other processes have changed.
func SetLookEvery(d *Directory, t time.Duration) { d.lookEvery = t }
