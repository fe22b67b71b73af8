package gate

// keys are those of one sale; see the package's documentation.
type keys struct{ meta, debits, due, settled, credits, init string }

func (g *Gate) keys(sale string) keys {
	k := g.cfg.Prefix + "{" + sale + "}:"
	return keys{k + "meta", k + "debits", k + "due", k + "settled", k + "credits", k + "init"}
}

func (k keys) all() []string { return []string{k.meta, k.debits, k.due, k.settled, k.credits, k.init} }
