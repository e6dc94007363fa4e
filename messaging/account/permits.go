package account

// Groups of callers. Within an operation, developers see and change only their own projects.
var (
	anyKeys              = Permit{Keys: anyKey}
	accountKeys          = Permit{Keys: accountKey} // programs that act for the whole account
	members              = Permit{Roles: ownerRole | developerRole | viewerRole}
	membersOrKeys        = Permit{Keys: anyKey, Roles: ownerRole | developerRole | viewerRole}
	membersOrAccountKeys = Permit{Keys: accountKey, Roles: ownerRole | developerRole | viewerRole}
	analysts             = Permit{Keys: accountKey, Roles: ownerRole | viewerRole} // for data of the whole account: all but developers
	makers               = Permit{Roles: ownerRole | developerRole}                // who create projects and keys and send messages by hand
	owners               = Permit{Roles: ownerRole}
	ownersOrLiveKey      = Permit{Keys: liveKey, Roles: ownerRole}
	ownersOrAccountKeys  = Permit{Keys: accountKey, Roles: ownerRole}
)

// The permits of the operations. JSON routes and pages name them, so that a caller is refused before the request is read,
// and a navigation item is shown only to those who can open its page. Pages accept no keys. The operations that take a
// caller check their permit again, except for sends and codes.
var (
	MaySend                  = anyKeys.whileSuspended() // a repeated idempotency key is answered for suspended accounts, too
	MaySendByHand            = makers
	MayReadMessages          = membersOrKeys
	MayCancelMessages        = ownersOrAccountKeys
	MayExportMessages        = owners.withCode()
	MayFollowMessages        = analysts // the stream of changes of all messages on a page
	MayReadOverview          = members
	MayReadAlerts            = members
	MayCountAlerts           = members.whileSuspended() // on every page
	MayReadProfile           = members
	MayListPresets           = membersOrKeys
	MayListGroups            = ownersOrAccountKeys
	MayReadStatistics        = membersOrAccountKeys // of a project, for developers
	MayReadAccountStatistics = analysts             // statistics of the whole account

	MaySendCodes   = accountKeys.whileSuspended()
	MayVerifyCodes = accountKeys
	MayReadCodes   = members // the page, whose statistics have their own permit

	MayReadInbox = ownersOrLiveKey
	MayReply     = ownersOrLiveKey.whileSuspended()
	MayCallTools = Permit{Keys: liveKey, Bearer: true} // assistants (M142)

	MayManageWebhooks = ownersOrLiveKey
	MaySetWebhook     = ownersOrLiveKey // its URL and secret, if the operator lets accounts do so (docs/decisions/0079)
	MayListen         = accountKeys     // to the stream of webhook events
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
