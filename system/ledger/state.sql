UPDATE sale SET state = $2 WHERE id = $1
