package config

import "fmt"

// Media is the storage limit for attachments of inbound messages.
type Media struct {
	MaxSize     int64 `yaml:"max_size" env:"MAX_SIZE"`         // maximum bytes of an attachment
	AccountSize int64 `yaml:"account_size" env:"ACCOUNT_SIZE"` // maximum bytes of all attachments of an account
}

// maxMediaSize is the size of the largest attachment that channels support.
const maxMediaSize = 16 << 20

func (m *Media) check(p *CheckError) {
	if m.MaxSize < 1 || m.MaxSize > maxMediaSize {
		p.add("media.max_size", fmt.Sprintf("1 to %d bytes", maxMediaSize), "")
	}
	if m.AccountSize < m.MaxSize {
		p.add("media.account_size", "must be at least media.max_size", "")
	}
}
