SELECT version, seats FROM ledger WHERE sale = $1 AND intent = $2 AND kind = 'capacity'
