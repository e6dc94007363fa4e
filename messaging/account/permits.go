package account

// Groups of callers. Within an operation, developers see and change only their own projects.
var (
	anyKeys              = Permit{Keys: AnyKey}
	accountKeys          = Permit{Keys: AccountKeys} // programs that act for the whole account
	members              = Permit{Roles: Owner | Developer | Viewer}
	membersOrKeys        = Permit{Keys: AnyKey, Roles: Owner | Developer | Viewer}
	membersOrAccountKeys = Permit{Keys: AccountKeys, Roles: Owner | Developer | Viewer}
	analysts             = Permit{Keys: AccountKeys, Roles: Owner | Viewer} // for data of the whole account: all but developers
	makers               = Permit{Roles: Owner | Developer}                 // who create projects and keys and send messages by hand
	owners               = Permit{Roles: Owner}
	ownersOrLiveKey      = Permit{Keys: LiveKey, Roles: Owner}
	ownersOrAccountKeys  = Permit{Keys: AccountKeys, Roles: Owner}
)

// The permits of the operations. An operation checks its permit itself. JSON routes and pages name the same one, so that a
// caller is refused before the request is read, and a navigation item is shown only to those who can open its page. Pages
// accept no keys.
var (
	MaySend            = anyKeys.whileSuspended() // a repeated idempotency key is answered for suspended accounts, too
	MaySendByHand      = makers
	MayReadMessages    = membersOrKeys
	MayCancelMessages  = ownersOrAccountKeys
	MayExportMessages  = owners.withCode()
	MayFollowMessages  = analysts // the stream of changes of all messages on a page
	MayReadOverview    = members
	MayReadAlerts      = members
	MayReadProfile     = members
	MayListPresets     = membersOrKeys
	MayListGroups      = ownersOrAccountKeys
	MayReadStatistics  = membersOrAccountKeys // of a project, for developers
	MayReadAllMessages = analysts             // statistics of the whole account

	MaySendCodes   = accountKeys.whileSuspended()
	MayVerifyCodes = accountKeys
	MayReadCodes   = members // the page, whose statistics have their own permit

	MayReadInbox = ownersOrLiveKey
	MayReply     = ownersOrLiveKey.whileSuspended()
	MayCallTools = Permit{Keys: LiveKey, Bearer: true} // assistants (M142)

	MayManageWebhooks = ownersOrLiveKey
	MayListen         = accountKeys // to the stream of webhook events
	MayManageSenders  = ownersOrLiveKey
	MayPairSenders    = owners.withCode() // who see the code that links a number
	MayManageOptOuts  = ownersOrLiveKey

	MayShowKey        = anyKeys.whileSuspended() // where a session is needed: an invalid key is refused as such
	MayListProjects   = members
	MayChangeProjects = makers
	MayDeleteProjects = makers.withCode()
	MayReadKey        = anyKeys // its own properties
	MayListKeys       = makers
	MayChangeKeys     = makers.withCode()
	MayGrantTools     = owners.withCode()

	MayListMembers     = owners
	MayChangeMembers   = owners.withCode()
	MayReadAudit       = owners
	MayChangeAccount   = owners
	MayTransferAccount = owners.withCode()
	MayCloseAccount    = owners.withCode()
	MayListErasures    = owners
	MayManagePeople    = owners.withCode() // export and erase their data
	MayAskOperator     = owners
	MayReadBilling     = owners.whileSuspended()
	MayBuyPlans        = owners.withCode().whileSuspended()

	MayReadSignIn    = members // how they themselves sign in
	MayLinkWhatsApp  = members.withCode()
	MayAllowWhatsApp = owners.withCode()
)
