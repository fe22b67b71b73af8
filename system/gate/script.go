package gate

import (
	"context"
	"crypto/sha1" //nolint:gosec // the name by which Redis knows a script, not a secret
	"encoding/hex"
	"fmt"

	"github.com/redis/go-redis/v9"
)

// script is Lua source and the name by which Redis knows it.
type script struct{ name, source, sha string }

// scripts are all that a gate calls.
type scripts struct {
	reserve, settle, refund, credit, init, repair, view, expired, forget, inflate script
}

func newScripts() scripts {
	return scripts{
		reserve: newScript("reserve", reserveLua),
		settle:  newScript("settle", settleLua),
		refund:  newScript("refund", refundLua),
		credit:  newScript("credit", creditLua),
		init:    newScript("init", initLua),
		repair:  newScript("repair", repairLua),
		view:    newScript("view", viewLua),
		expired: newScript("expired", expiredLua),
		forget:  newScript("forget", forgetLua),
		inflate: newScript("inflate", inflateLua),
	}
}

func newScript(name, source string) script {
	sum := sha1.Sum([]byte(source)) //nolint:gosec // see above
	return script{name, source, hex.EncodeToString(sum[:])}
}

// run calls the script by its hash, and once in full where Redis does not know it, which means that it did not run.
func (s script) run(ctx context.Context, client *redis.Client, keys []string, args ...any) ([]any, error) {
	reply, err := client.EvalSha(ctx, s.sha, keys, args...).Slice()
	if err != nil && redis.HasErrorPrefix(err, "NOSCRIPT") {
		reply, err = client.Eval(ctx, s.source, keys, args...).Slice()
	}
	return reply, err
}

// word is the first element of a reply, which in every writing script says what was done.
func word(reply []any) (string, error) {
	if len(reply) == 0 {
		return "", fmt.Errorf("reply %v: want a word", reply)
	}
	w, ok := reply[0].(string)
	if !ok {
		return "", fmt.Errorf("reply %v: want a word", reply)
	}
	return w, nil
}
