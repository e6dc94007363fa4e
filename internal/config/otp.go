package config

import (
	"fmt"
	"time"

	"example.com/griot/internal/phone"
)

// OTP limits one-time codes if RateLimits is on. A zero means no limit.
type OTP struct {
	PrefixDigits    int              `yaml:"prefix_digits" env:"PREFIX_DIGITS"`       // number of leading digits that form a prefix
	PrefixHourly    int64            `yaml:"prefix_hourly" env:"PREFIX_HOURLY"`       // codes per hour to a prefix
	CountryHourly   int64            `yaml:"country_hourly" env:"COUNTRY_HOURLY"`     // codes per hour to a country
	Countries       map[string]int64 `yaml:"countries" env:"-"`                       // by calling code, overrides CountryHourly; here 0 blocks the country
	AccountPercent  int64            `yaml:"account_percent" env:"ACCOUNT_PERCENT"`   // one account's share of each of these caps
	Accounts        map[string]int64 `yaml:"accounts" env:"-"`                        // by id, overrides AccountPercent
	BreakerSample   int              `yaml:"breaker_sample" env:"BREAKER_SAMPLE"`     // number of an account's latest codes to a prefix that are checked
	BreakerVerified int              `yaml:"breaker_verified" env:"BREAKER_VERIFIED"` // percentage of them that must have been verified
	BreakerBlock    time.Duration    `yaml:"breaker_block" env:"BREAKER_BLOCK"`       // how long the prefix is blocked otherwise
}

// Bounds of OTP. A sample is read for every request, and blocks are stored for a day.
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
		p.add("otp.prefix_hourly", "must be a number, or 0 for no limit", "")
	}
	if o.CountryHourly < 0 {
		p.add("otp.country_hourly", "must be a number, or 0 for no limit", "")
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
