package limit

import "time"

// Settings are the rate limits of both services. The end of a name shows the counted object: an address ([Address]),
// a client, a phone.
type Settings struct {
	StartAddress        Rate `yaml:"start_address" env:"START_ADDRESS"`                 // started logins
	StartClientAddress  Rate `yaml:"start_client_address" env:"START_CLIENT_ADDRESS"`   // for one client
	LiveLogins          int  `yaml:"live_logins" env:"LIVE_LOGINS"`                     // of a client, at the same time; 0: no limit
	PollLogin           Rate `yaml:"poll_login" env:"POLL_LOGIN"`                       // a waiting page's polls, and requests of userinfo with one access token
	ActivateLogin       Rate `yaml:"activate_login" env:"ACTIVATE_LOGIN"`               // deeplinks opened
	SandboxLogin        Rate `yaml:"sandbox_login" env:"SANDBOX_LOGIN"`                 // sandbox numbers pressed
	RefusedAddress      Rate `yaml:"refused_address" env:"REFUSED_ADDRESS"`             // refused requests to /token and /oauth2/*, for one client; unknown clients count as one
	PublicClientAddress Rate `yaml:"public_client_address" env:"PUBLIC_CLIENT_ADDRESS"` // the same for a PUBLIC client, whose id anyone can send
	TokenClient         Rate `yaml:"token_client" env:"TOKEN_CLIENT"`                   // requests of an authenticated client, like the next two
	RevokeClient        Rate `yaml:"revoke_client" env:"REVOKE_CLIENT"`                 //
	IntrospectClient    Rate `yaml:"introspect_client" env:"INTROSPECT_CLIENT"`         //
	ProofPhone          Rate `yaml:"proof_phone" env:"PROOF_PHONE"`                     // logins proved
	GuessPhone          Rate `yaml:"guess_phone" env:"GUESS_PHONE"`                     // words that belong to no login
	ManageAddress       Rate `yaml:"manage_address" env:"MANAGE_ADDRESS"`               // attempts to sign in as a tenant
	CodeAddress         Rate `yaml:"code_address" env:"CODE_ADDRESS"`                   // accounts' dashboard: requested codes
	CodeEmail           Rate `yaml:"code_email" env:"CODE_EMAIL"`                       // mailed to an address: for all new browsers, and for each browser that has signed in before
	TryAddress          Rate `yaml:"try_address" env:"TRY_ADDRESS"`                     // entered codes
	SignupAddress       Rate `yaml:"signup_address" env:"SIGNUP_ADDRESS"`               // codes mailed to addresses without an account
	SignupDaily         int  `yaml:"signup_daily" env:"SIGNUP_DAILY"`                   // of all, in a UTC day; 0: no limit
	InviteAccount       Rate `yaml:"invite_account" env:"INVITE_ACCOUNT"`               // people invited
	InviteEmail         Rate `yaml:"invite_email" env:"INVITE_EMAIL"`                   //
}

// Defaults returns the default settings (docs/config.md). An address can be shared by thousands of phones.
func Defaults() Settings {
	return Settings{
		StartAddress: Rate{300, time.Minute}, StartClientAddress: Rate{200, time.Minute}, LiveLogins: 100_000,
		PollLogin: Rate{5, 5 * time.Second}, ActivateLogin: Rate{10, time.Minute}, SandboxLogin: Rate{10, time.Minute},
		RefusedAddress: Rate{60, time.Minute}, PublicClientAddress: Rate{300, time.Minute},
		TokenClient: Rate{1200, time.Minute}, RevokeClient: Rate{120, time.Minute}, IntrospectClient: Rate{1200, time.Minute},
		ProofPhone: Rate{10, time.Hour}, GuessPhone: Rate{5, 10 * time.Minute}, ManageAddress: Rate{5, time.Minute},
		CodeAddress: Rate{10, 10 * time.Minute}, CodeEmail: Rate{5, time.Hour}, TryAddress: Rate{30, 10 * time.Minute},
		SignupAddress: Rate{10, 24 * time.Hour}, SignupDaily: 500,
		InviteAccount: Rate{50, time.Hour}, InviteEmail: Rate{3, time.Hour},
	}
}
