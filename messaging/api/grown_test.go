package api_test

import (
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/messaging/messagingtest"
)

// numbers counts from 1 to $1.
const numbers = `WITH RECURSIVE n (i) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < CAST($1 AS BIGINT)) `

// id26 is the end of an ID, derived from a number.
const id26 = `'00000000000000000' || substr(CAST(1000000000 + i AS TEXT), 2)`

// grow stores n messages of an account, one per ten milliseconds from the start of the tests' time, DELIVERED by SMS
// to 22376000001. Every every-th message is for 22376000002 and FAILED.
func grow(t testing.TB, w *messagingtest.World, accountID string, from, n, every int) {
	t.Helper()
	w.Exec(t, `INSERT INTO messages (id, notification_id, account_id, requested_channel, channel, recipient, address, sender_id, content, sensitive, source, status, rank, version, timeline,
 created_at, expires_at, metadata)
 `+numbers+`SELECT 'msg_' || `+id26+`, 'ntf_' || `+id26+`, CAST($2 AS TEXT), 'sms', 'sms', address, address, 'snd_x', '{"text":"Bonjour"}', 0, 'api', status, 50, 1, '{"at":1,"status":"'||status||'"}', CAST($3 AS BIGINT) + i * 10, CAST($3 AS BIGINT) + i * 10 + 1000,
 CASE WHEN special THEN '{"order":"42"}' END
 FROM (SELECT i + CAST($4 AS BIGINT) AS i, i % CAST($5 AS BIGINT) = 0 AS special, CASE WHEN i % CAST($5 AS BIGINT) = 0 THEN '22376000002' ELSE '22376000001' END AS address,
  CASE WHEN i % CAST($5 AS BIGINT) = 0 THEN 'FAILED' ELSE 'DELIVERED' END AS status FROM n) AS grown`, n, accountID, db.Ms(messagingtest.Start), from, every)
}
