package config

import (
	"errors"
	"fmt"
)

// Media is how much is kept of what people attach to their messages.
type Media struct {
	MaxSize     int64 `yaml:"max_size" env:"MAX_SIZE"`         // bytes of one attachment
	AccountSize int64 `yaml:"account_size" env:"ACCOUNT_SIZE"` // bytes of all that an account has
}

// maxMediaSize is the largest attachment that channels carry.
const maxMediaSize = 16 << 20

func (m *Media) check() error {
	if m.MaxSize < 1 || m.MaxSize > maxMediaSize {
		return fmt.Errorf("config: media.max_size: 1 to %d bytes", maxMediaSize)
	}
	if m.AccountSize < m.MaxSize {
		return errors.New("config: media.account_size: at least media.max_size")
	}
	return nil
}
