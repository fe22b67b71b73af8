package booking

import (
	"fmt"
	"strconv"
)

// Validate reports what is wrong with an intent, wrapped in ErrInvalid.
func (in Intent) Validate() error {
	switch {
	case in.Quantity < 1 || in.Quantity > MaxQuantity:
		return fmt.Errorf("%w: quantity: got %d, want 1 to %d", ErrInvalid, in.Quantity, MaxQuantity)
	case !printable(in.Key, 128):
		return fmt.Errorf("%w: idempotency key: want 1 to 128 printable ASCII characters", ErrInvalid)
	case !printable(in.Account, 128):
		return fmt.Errorf("%w: account: want 1 to 128 printable ASCII characters", ErrInvalid)
	case !printable(in.Sale, 64):
		return fmt.Errorf("%w: sale: want 1 to 64 printable ASCII characters", ErrInvalid)
	}
	return nil
}

func printable(s string, most int) bool {
	if s == "" || len(s) > most {
		return false
	}
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// intentID prefixes the account's length, so that ("a:b","c") and ("a","b:c") stay apart.
func intentID(account, key string) string {
	return strconv.Itoa(len(account)) + ":" + account + ":" + key
}

// SplitIntentID undoes Intent.ID.
func SplitIntentID(id string) (account, key string, err error) {
	for i := 0; i < len(id); i++ {
		if id[i] != ':' {
			continue
		}
		n, err := strconv.Atoi(id[:i])
		if err != nil || n < 0 || i+1+n >= len(id) || id[i+1+n] != ':' {
			break
		}
		return id[i+1 : i+1+n], id[i+2+n:], nil
	}
	return "", "", fmt.Errorf("%w: intent id %q: want LENGTH:ACCOUNT:KEY", ErrInvalid, id)
}
