import { test } from '@jest/globals';
import { findProgram } from './proxies.ts';

/** The programs that make certificates, and a Kafka beside the one of the whole run. */
const missing = ['openssl', 'java', 'mvn'].filter((name) => findProgram(name) === null);
if (missing.length > 0) {
  process.stderr.write(`Tests of secured servers are skipped: ${missing.join(', ')} not installed.\n`);
}

/** A test with servers that ask for certificates and logins. It is skipped on a machine that cannot make them. */
export const securedTest = missing.length > 0 ? test.skip : test;
