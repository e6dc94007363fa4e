package session

// The permits of the service. A page, the navigation's item for it, and its operation of the JSON API name permits of the
// same roles. What a developer sees and changes within a route is that of their own projects.

// AnyKeys is for programs alone: sending, and what a key can learn about itself.
var AnyKeys = Permit{Keys: AnyKey}

// OnlyAccountKeys is for programs that act for the whole account.
var OnlyAccountKeys = Permit{Keys: AccountKeys}

// OnlyBearer is for assistants: an account's live key in an Authorization header (M142).
var OnlyBearer = Permit{Keys: LiveKey, Bearer: true}

// Members is for everybody in the account.
var Members = Permit{Roles: Owner | Developer | Viewer}

// MembersOrKeys is for everybody in the account, and its programs.
var MembersOrKeys = Permit{Keys: AnyKey, Roles: Owner | Developer | Viewer}

// MembersOrAccountKeys is for everybody in the account, and programs that act for the whole of it.
var MembersOrAccountKeys = Permit{Keys: AccountKeys, Roles: Owner | Developer | Viewer}

// Analysts is for who reads figures of the whole account, which a developer doesn't.
var Analysts = Permit{Keys: AccountKeys, Roles: Owner | Viewer}

// Makers is for who makes projects and keys, and sends by hand.
var Makers = Permit{Roles: Owner | Developer}

// Owners is for the account's owner.
var Owners = Permit{Roles: Owner}

// OwnersOrLiveKey is for the owner, and programs with the key that may do the same.
var OwnersOrLiveKey = Permit{Keys: LiveKey, Roles: Owner}

// OwnersOrAccountKeys is for the owner, and programs that act for the whole account.
var OwnersOrAccountKeys = Permit{Keys: AccountKeys, Roles: Owner}
