package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"griot/internal/phone"
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

// Check returns everything that is wrong at once.
func (o *OTP) Check() error {
	var errs []error
	if o.PrefixDigits < minPrefix || o.PrefixDigits > maxPrefix {
		errs = append(errs, fmt.Errorf("config: otp.prefix_digits: %d to %d", minPrefix, maxPrefix))
	}
	if o.PrefixHourly < 0 || o.CountryHourly < 0 {
		errs = append(errs, errors.New("config: otp.prefix_hourly, country_hourly: a number, or 0 for no bound"))
	}
	for code, hourly := range o.Countries {
		if n, ok := phone.Parse(code + "00000000"); !ok || n.Country() != code || hourly < 0 {
			errs = append(errs, errors.New("config: otp.countries: calling codes such as \"223\", and codes an hour"))
			break
		}
	}
	percents := append(slices.Collect(maps.Values(o.Accounts)), o.AccountPercent)
	if slices.Min(percents) < 0 || slices.Max(percents) > 100 {
		errs = append(errs, errors.New("config: otp.account_percent, accounts: 1 to 100 percent, or 0 for no bound"))
	}
	if o.BreakerSample < 0 || o.BreakerSample > maxSample || o.BreakerVerified < 0 || o.BreakerVerified > 100 {
		errs = append(errs, fmt.Errorf("config: otp.breaker_sample, breaker_verified: at most %d codes, and 0 to 100 percent", maxSample))
	}
	if o.BreakerBlock < minBlock || o.BreakerBlock > maxBlock {
		errs = append(errs, fmt.Errorf("config: otp.breaker_block: %v to %v", minBlock, maxBlock))
	}
	return errors.Join(errs...)
}
