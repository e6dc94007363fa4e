package config

import (
	"fmt"
	"time"

	"example.com/griot/internal/phone"
)

// OTP bounds one-time codes where RateLimits is on. A zero is no bound.
type OTP struct {
	PrefixDigits    int              `yaml:"prefix_digits" env:"PREFIX_DIGITS"`       // how many first digits of a number are its prefix
	PrefixHourly    int64            `yaml:"prefix_hourly" env:"PREFIX_HOURLY"`       // codes an hour to a prefix
	CountryHourly   int64            `yaml:"country_hourly" env:"COUNTRY_HOURLY"`     // codes an hour to a country
	Countries       map[string]int64 `yaml:"countries" env:"-"`                       // by calling code, instead of CountryHourly; here 0 is none at all
	AccountPercent  int64            `yaml:"account_percent" env:"ACCOUNT_PERCENT"`   // of each of these caps, for one account
	Accounts        map[string]int64 `yaml:"accounts" env:"-"`                        // by id, instead of AccountPercent
	BreakerSample   int              `yaml:"breaker_sample" env:"BREAKER_SAMPLE"`     // how many of an account's latest codes to a prefix are looked at
	BreakerVerified int              `yaml:"breaker_verified" env:"BREAKER_VERIFIED"` // percent of them that must have been verified
	BreakerBlock    time.Duration    `yaml:"breaker_block" env:"BREAKER_BLOCK"`       // for how long the prefix is held back otherwise
}

// Bounds of OTP: a sample is read at every request, and blocks are kept for a day.
const (
	minPrefix, maxPrefix = 4, 12
	maxSample            = 1000
	minBlock, maxBlock   = time.Minute, 24 * time.Hour
)

func (o *OTP) check(p *CheckError) {
	if o.PrefixDigits < minPrefix || o.PrefixDigits > maxPrefix {
		p.add("otp.prefix_digits", fmt.Sprintf("%d to %d", minPrefix, maxPrefix), "")
	}
	if o.PrefixHourly < 0 {
		p.add("otp.prefix_hourly", "must be a number, or 0 for no bound", "")
	}
	if o.CountryHourly < 0 {
		p.add("otp.country_hourly", "must be a number, or 0 for no bound", "")
	}
	for code, hourly := range o.Countries {
		if n, ok := phone.Parse(code + "00000000"); !ok || n.Country() != code || hourly < 0 {
			p.add("otp.countries", "must be calling codes such as \"223\", and codes an hour", "")
			break
		}
	}
	if o.AccountPercent < 0 || o.AccountPercent > 100 {
		p.add("otp.account_percent", "1 to 100 percent, or 0 for no bound", "")
	}
	for _, percent := range o.Accounts {
		if percent < 0 || percent > 100 {
			p.add("otp.accounts", "1 to 100 percent, or 0 for no bound", "")
			break
		}
	}
	if o.BreakerSample < 0 || o.BreakerSample > maxSample {
		p.add("otp.breaker_sample", fmt.Sprintf("at most %d codes", maxSample), "")
	}
	if o.BreakerVerified < 0 || o.BreakerVerified > 100 {
		p.add("otp.breaker_verified", "0 to 100 percent", "")
	}
	if o.BreakerBlock < minBlock || o.BreakerBlock > maxBlock {
		p.add("otp.breaker_block", fmt.Sprintf("%v to %v", minBlock, maxBlock), "")
	}
}
