import { execFile } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { INHERITED_ENV } from '../helpers/service/inherited-env.ts';

test.each(['gateway', 'consumers'])(
  '%s does not start with an argument that it does not know',
  async (name) => {
    const outcome = await new Promise((resolve) => {
      const child = execFile(
        process.execPath,
        [`${name}/main.ts`, '--help'],
        { env: INHERITED_ENV },
        (_error, _stdout, told) => resolve({ status: child.exitCode, told }),
      );
    });
    expect(outcome).toEqual({
      status: 1,
      told:
        'Unknown argument "--help": the program takes none. Environment variables configure it; docs/deployment.md lists ' +
        'them.\n',
    });
  },
);
