import { test } from '@jest/globals';
import { findProgram } from './find-program.ts';

/** The programs that make certificates, and a Kafka beside the one of the whole run. */
const missing = ['openssl', 'java', 'mvn'].filter((name) => findProgram(name) === null);
if (missing.length > 0) {
  process.stderr.write(`Tests of secured servers are skipped: ${missing.join(', ')} not installed.\n`);
}

/** Whether this machine can make servers that ask for certificates and logins. */
export const canSecure = missing.length === 0;

/** A test with such servers. It is skipped on a machine that cannot make them. */
export const securedTest = canSecure ? test : test.skip;
