import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';

/** Counts what the library compiles when it is loaded, and at the first use of a check. */
const PROGRAM = `
import { Ajv2020 } from 'ajv/dist/2020.js';
const core = Object.getPrototypeOf(Ajv2020.prototype);
const { compile } = core;
let compiled = 0;
core.compile = function (...given) {
  compiled += 1;
  return compile.apply(this, given);
};
const { Base } = await import('./kafka/library.ts');
const whenLoaded = compiled;
let message = '';
try {
  new Base({ clientId: '', bootstrapBrokers: ['kafka:9092'], strict: true });
} catch (error) {
  message = error.message;
}
const whenUsed = compiled;
new Ajv2020().compile({});
console.log(JSON.stringify({ whenLoaded, whenUsed, later: compiled, message }));
`;

test('the library of Kafka compiles a check of options at its first use, and other checks are compiled at once', async () => {
  const args = ['--input-type=module', '--eval', PROGRAM];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(JSON.parse(stdout)).toEqual({
    ...{ whenLoaded: 0, whenUsed: 1, later: 2 },
    message: expect.stringContaining('clientId'),
  });
});
