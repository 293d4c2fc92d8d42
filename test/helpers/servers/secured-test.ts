import { test } from '@jest/globals';
import { findProgram } from './find-program.ts';

/** The programs that make certificates and run a separate Kafka. */
const missing = ['openssl', 'java', 'mvn'].filter((name) => findProgram(name) === null);
if (missing.length > 0) {
  process.stderr.write(`Tests of secured servers are skipped: ${missing.join(', ')} not installed.\n`);
}

/** Whether this machine can run servers that require certificates and logins. */
export const canSecure = missing.length === 0;

/** A test with such servers. It is skipped if the machine cannot run them. */
export const securedTest = canSecure ? test : test.skip;

/** The message of the error with which an action fails. */
export function messageOf(action: Promise<unknown>): Promise<string> {
  return action.then(
    () => 'It did not fail.',
    (error: Error) => error.message,
  );
}
