package otp

// HostOf exports hostOf for tests.
var HostOf = hostOf
