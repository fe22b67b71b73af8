SELECT id, sale, account, key, quantity, state, version, coalesce(cancelled_version, 0)
FROM booking
WHERE id = $1 AND account = $2
