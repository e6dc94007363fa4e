package virtual

// schema returns the statements that create the file's tables. status = 'sent' marks waiting messages, see [status].
// first_ref is set on the first message of each reference, and is used for deduplication. A message with more content
// than a text has a row in extras, with the JSON of [extraContent] unless it is sealed. Files of older versions lack
// extras. people has the fields of [person], and changes the JSON of the [gateway.Change] values that wait for the sink.
func schema() []string {
	return []string{
		`CREATE TABLE IF NOT EXISTS messages (
			seq INTEGER PRIMARY KEY,
			id TEXT NOT NULL UNIQUE,
			owner TEXT NOT NULL,
			direction TEXT NOT NULL,
			channel TEXT NOT NULL,
			sender TEXT NOT NULL,
			recipient TEXT NOT NULL,
			text TEXT NOT NULL,
			html TEXT NOT NULL,
			subject TEXT NOT NULL,
			sealed TEXT,
			name TEXT NOT NULL,
			ref TEXT NOT NULL,
			first_ref TEXT UNIQUE,
			at BIGINT NOT NULL,
			status TEXT NOT NULL)`,
		`CREATE TABLE IF NOT EXISTS extras (
			id TEXT PRIMARY KEY,
			type TEXT NOT NULL,
			media TEXT) WITHOUT ROWID`,
		`CREATE INDEX IF NOT EXISTS messages_owner ON messages (owner)`,
		`CREATE INDEX IF NOT EXISTS messages_waiting ON messages (owner) WHERE status = 'sent'`,
		`CREATE INDEX IF NOT EXISTS messages_written ON messages (direction, seq) WHERE status = 'sent' AND direction = 'out'`,
		`CREATE TABLE IF NOT EXISTS phones (
			address TEXT PRIMARY KEY,
			unread BIGINT NOT NULL,
			last_at BIGINT NOT NULL) WITHOUT ROWID`,
		`CREATE INDEX IF NOT EXISTS phones_last ON phones (last_at)`,
		`CREATE TABLE IF NOT EXISTS options (
			name TEXT PRIMARY KEY,
			value BIGINT NOT NULL) WITHOUT ROWID`,
		`CREATE TABLE IF NOT EXISTS attempts (
			seq INTEGER PRIMARY KEY,
			ref TEXT NOT NULL,
			at BIGINT NOT NULL,
			channel TEXT NOT NULL,
			sender TEXT NOT NULL,
			recipient TEXT NOT NULL,
			outcome TEXT NOT NULL)`,
		`CREATE INDEX IF NOT EXISTS attempts_ref ON attempts (ref)`,
		`CREATE TABLE IF NOT EXISTS receipts (
			seq INTEGER PRIMARY KEY,
			ref TEXT NOT NULL,
			provider_id TEXT NOT NULL,
			status TEXT NOT NULL,
			at BIGINT NOT NULL)`,
		`CREATE TABLE IF NOT EXISTS people (
			number TEXT PRIMARY KEY,
			owner BIGINT NOT NULL,
			id TEXT NOT NULL UNIQUE,
			username TEXT NOT NULL,
			hidden BIGINT NOT NULL) WITHOUT ROWID`,
		`CREATE TABLE IF NOT EXISTS changes (
			seq INTEGER PRIMARY KEY,
			body TEXT NOT NULL)`,
	}
}
