package otp

// What tests look at from inside.
var (
	HostOf     = hostOf
	OneSegment = oneSegment
)
