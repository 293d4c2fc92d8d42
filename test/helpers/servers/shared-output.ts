/*
 * Runs before each test file. Each loads slonik's logger anew, and every copy listens for errors of the output that all files
 * of a worker share: Node takes more than ten of them for a leak.
 */
process.stdout.setMaxListeners(0);
process.stderr.setMaxListeners(0);
