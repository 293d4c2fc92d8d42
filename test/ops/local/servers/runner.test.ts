import { expect, test } from '@jest/globals';
import { chooseRunner } from '../../../../ops/local/servers/runner.ts';

test.each([
  [{ java: 17, maven: true, docker: false }, 'embedded'],
  [{ java: 25, maven: true, docker: true }, 'embedded'],
  [{ java: null, maven: true, docker: true }, 'containers'],
  [{ java: 17, maven: false, docker: true }, 'containers'],
  [{ java: 11, maven: true, docker: true }, 'containers'],
])('on a machine with %j servers are %s', (machine, way) => {
  expect(chooseRunner(machine)).toBe(way);
});

test.each([
  [{ java: null, maven: true, docker: false }, /^Java is missing.*openjdk.*Docker/],
  [{ java: 11, maven: true, docker: false }, /^a newer Java \(this is 11\) is missing.*openjdk/i],
  [{ java: 17, maven: false, docker: false }, /^Maven is missing.*maven.*Docker/],
])('a machine with %j gets a message with the missing tool and how to get it', (machine, message) => {
  expect(() => chooseRunner(machine)).toThrow(message);
});
