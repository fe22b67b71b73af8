-- What the truth holds of these accounts in a sale: their live bookings, for the limit, and those under the asked keys, for the replay.
SELECT id, sale, account, key, quantity, state, version, coalesce(cancelled_version, 0), payload
FROM booking
WHERE sale = $1 AND account = ANY ($2) AND (state = 'live' OR key = ANY ($3))
