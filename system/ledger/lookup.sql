-- The bookings of these intents, each by its key. For OFFSET 0 see account.sql.
SELECT found.id, found.sale, found.account, found.key, found.quantity, found.state, found.version, found.cancelled
FROM unnest($1::text[], $2::text[], $3::text[]) AS asked (sale, account, key),
LATERAL (
    SELECT id, sale, account, key, quantity, state, version, coalesce(cancelled_version, 0) AS cancelled
    FROM booking
    WHERE sale = asked.sale AND account = asked.account AND key = asked.key
    OFFSET 0
) AS found
