// Package servers gives tests of the booking system a Postgres and a Redis.
//
// A test binary makes one Set and hands its TestMain to Set.Main:
//
//	var srv = servers.New()
//
//	func TestMain(m *testing.M) { os.Exit(srv.Main(m)) }
//
// The addresses come from GATECRASH_TEST_POSTGRES_URL and GATECRASH_TEST_REDIS_URL where those are set. Else the first test that asks starts a
// private server on a free loopback port, in a folder of its own under the temporary folder, and Main stops it. Where a binary is missing the
// test is skipped, but with CI=true it fails.
//
// Schema and Prefix give each test a corner of its own, dropped at its end, so that all tests may run in parallel.
//
// Only tests below system may import it. The harness has its own, richer backends (sim/backend), which system must never see.
package servers
