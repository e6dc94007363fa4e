package otp

// HostOf is what tests look at from inside.
var HostOf = hostOf
