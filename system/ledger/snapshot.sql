SELECT free, version FROM sale WHERE id = $1
