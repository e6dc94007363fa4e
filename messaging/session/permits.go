package session

// The permits of the service. A page, its navigation item, and its JSON API operation name permits with the same roles.
// Within a route, developers see and change only their own projects.

// AnyKeys allows programs only. It is used for sending and for reading a key's own properties.
var AnyKeys = Permit{Keys: AnyKey}

// OnlyAccountKeys allows programs that act for the whole account.
var OnlyAccountKeys = Permit{Keys: AccountKeys}

// OnlyBearer allows assistants: a live key in an Authorization header (M142).
var OnlyBearer = Permit{Keys: LiveKey, Bearer: true}

// Members allows every role of the account.
var Members = Permit{Roles: Owner | Developer | Viewer}

// MembersOrKeys allows every role of the account and all of its keys.
var MembersOrKeys = Permit{Keys: AnyKey, Roles: Owner | Developer | Viewer}

// MembersOrAccountKeys allows every role of the account and programs that act for the whole account.
var MembersOrAccountKeys = Permit{Keys: AccountKeys, Roles: Owner | Developer | Viewer}

// Analysts allows the roles that read statistics of the whole account: all but developers.
var Analysts = Permit{Keys: AccountKeys, Roles: Owner | Viewer}

// Makers allows the roles that create projects and keys and send messages by hand.
var Makers = Permit{Roles: Owner | Developer}

// Owners allows the account's owner.
var Owners = Permit{Roles: Owner}

// OwnersOrLiveKey allows the owner and programs with a live key.
var OwnersOrLiveKey = Permit{Keys: LiveKey, Roles: Owner}

// OwnersOrAccountKeys allows the owner and programs that act for the whole account.
var OwnersOrAccountKeys = Permit{Keys: AccountKeys, Roles: Owner}
