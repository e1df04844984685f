// Nothing to call: with FORBID_COPIES in its environment the process may make no copy of itself,
// and none but threads.
