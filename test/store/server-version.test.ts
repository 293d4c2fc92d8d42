import { expect, test } from '@jest/globals';
import { refuseOldServer } from '../../store/connection/server-version.ts';

test.each(['16.0', '16.14 (Debian 16.14-1.pgdg12+1)', '18.4', '19devel'])(
  'Postgres %s is supported',
  (version) => {
    expect(refuseOldServer(version)).toBeNull();
  },
);

test.each(['15.18', '9.6.24'])('Postgres %s is refused as too old', (version) => {
  expect(refuseOldServer(version)).toBe(
    `Postgres ${version} is too old: the service needs Postgres 16 or newer.`,
  );
});
