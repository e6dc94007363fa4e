package config

import "fmt"

// Media is how much is kept of what people attach to their messages.
type Media struct {
	MaxSize     int64 `yaml:"max_size" env:"MAX_SIZE"`         // bytes of one attachment
	AccountSize int64 `yaml:"account_size" env:"ACCOUNT_SIZE"` // bytes of all that an account has
}

// maxMediaSize is the largest attachment that channels carry.
const maxMediaSize = 16 << 20

func (m *Media) check(p *CheckError) {
	if m.MaxSize < 1 || m.MaxSize > maxMediaSize {
		p.add("media.max_size", fmt.Sprintf("1 to %d bytes", maxMediaSize), "")
	}
	if m.AccountSize < m.MaxSize {
		p.add("media.account_size", "must be at least media.max_size", "")
	}
}
