INSERT INTO sale (id, capacity, free, state, per_account, opens_at) VALUES ($1, $2, $2, 'scheduled', $3, $4) ON CONFLICT (id) DO NOTHING
