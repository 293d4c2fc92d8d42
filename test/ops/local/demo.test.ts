import path from 'node:path';
import { expect, test } from '@jest/globals';
import { renderWelcome } from '../../../ops/local/demo.ts';

const started = {
  ...{ address: 'http://localhost:8080', metricsAddress: 'http://localhost:9464' },
  ...{ key: 'bes_key', demo: true, dataDir: '/data' },
};

test('a start names the addresses, the key, and commands with the key', () => {
  const lines = renderWelcome({ ...started, consoleLink: 'http://localhost:8080/console/links/abc' });
  for (const part of ['http://localhost:8080', 'bes_key', '/console/links/abc', '9464', '/data/logs']) {
    expect(lines).toContain(part);
  }
  const commands = lines.split('\n').filter((line) => line.startsWith('  curl'));
  expect(commands).toHaveLength(3);
  for (const command of commands) expect(command).toContain("'Authorization: Bearer bes_key'");
});

test('a start names its DATA_DIR in a command for another terminal, except for the default folder', () => {
  const showCommand = (dataDir: string) =>
    /another: (.*) console link/.exec(
      renderWelcome({ ...started, dataDir, consoleLink: 'http://localhost:8080/console/links/abc' }),
    )?.[1];
  expect(showCommand('/data')).toBe("DATA_DIR='/data' npm run ops --");
  expect(showCommand(path.resolve('.data'))).toBe('npm run ops --');
});

test('a start without a console does not mention it', () => {
  expect(renderWelcome({ ...started, consoleLink: null })).not.toMatch(/console/i);
});
