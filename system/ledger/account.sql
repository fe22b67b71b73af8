-- What the truth holds of these accounts in a sale: their live bookings, for the limit, and those under the asked keys, for the replay.
-- OFFSET 0 keeps the inner select a look-up of its own by (sale, account): as a plain join or with = ANY, a plan made while the table was
-- small reads every booking of the sale.
SELECT held.id, held.sale, held.account, held.key, held.quantity, held.state, held.version, held.cancelled, held.payload
FROM (SELECT DISTINCT account FROM unnest($2::text[]) AS names (account)) AS asked,
LATERAL (
    SELECT id, sale, account, key, quantity, state, version, coalesce(cancelled_version, 0) AS cancelled, payload
    FROM booking
    WHERE sale = $1 AND account = asked.account AND (state = 'live' OR key = ANY ($3))
    OFFSET 0
) AS held
