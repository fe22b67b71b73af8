SELECT b.id, b.sale, b.account, b.key, b.quantity, b.state, b.version, coalesce(b.cancelled_version, 0)
FROM unnest($1::text[], $2::text[], $3::text[]) AS asked (sale, account, key)
JOIN booking b ON b.sale = asked.sale AND b.account = asked.account AND b.key = asked.key
