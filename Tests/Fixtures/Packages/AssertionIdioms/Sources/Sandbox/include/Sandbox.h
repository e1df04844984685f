// Nothing to call: with FORBID_CLONE in its environment the process may make no copy of itself,
// and none but threads.
