import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { endianness } from 'node:os';
import { describe, expect, test } from '@jest/globals';
import { readWaiting } from '../../../gateway/wire/read-tcp-table.ts';
import { findWaiting, nameConnection } from '../../../gateway/wire/tcp-table.ts';
import { useFolder } from '../../helpers/use-folder.ts';

const isLinux = process.platform === 'linux' && endianness() === 'LE';
const folder = useFolder();

interface Row {
  queued?: string;
  timer?: string;
  retransmits?: string;
  probes?: number;
  ends?: string;
}

/** A row of the kernel's table; by default of a connection that has repeated a heartbeat five times. */
function row({
  queued = '00000008',
  timer = '01',
  retransmits = '00000005',
  probes = 0,
  ends = '0100007F:1F90 020110AC:D431',
}: Row = {}): string {
  const waits = `${queued}:00000000 ${timer}:0000012C ${retransmits}`;
  return `   7: ${ends} 01 ${waits}     0 ${String(probes).padStart(8)} 3102583 2 00000000590688d9 20 0 0 10 -1`;
}

const NAME = '0000000000000000FFFF00000100007F:1F90 0000000000000000FFFF0000020110AC:D431';

describe('a row of the table of connections', () => {
  test.each<[string, Row, string | null, boolean?]>([
    ['that the kernel has repeated', {}, NAME],
    ['that the kernel has repeated twice, as after a short loss', { retransmits: '00000002' }, NAME, false],
    ['without waiting bytes', { queued: '00000000' }, null],
    ['of a slow reader, whose kernel answers probes', { timer: '04', retransmits: '00000000' }, NAME, false],
    ['of a slow reader that has vanished', { timer: '04', retransmits: '00000000', probes: 4 }, NAME],
    [
      'of IPv6',
      { ends: '00000000000000000000000001000000:0050 B80D0120000000000000000001000000:D431' },
      '00000000000000000000000001000000:0050 B80D0120000000000000000001000000:D431',
    ],
  ])('%s', (_, parts, connection, unanswered = true) => {
    expect(findWaiting(row(parts))).toEqual(connection && { connection, bytes: 8, unanswered });
  });

  test.each(['', '  sl  local_address rem_address   st tx_queue rx_queue tr', '7: 0100007F:1F90'])(
    'that is another text has no connection: %j',
    (text) => {
      expect(findWaiting(text)).toBeNull();
    },
  );
});

const skipped = isLinux ? test : test.skip;

describe('the name of a connection', () => {
  skipped.each([
    ['127.0.0.1', '172.16.1.2', NAME],
    ['::ffff:127.0.0.1', '::ffff:172.16.1.2', NAME],
    ['::1', '2001:db8::1', '00000000000000000000000001000000:1F90 B80D0120000000000000000001000000:D431'],
    [
      'fe80::1%eth0',
      '1:2:3:4:5:6:7:8',
      '000080FE000000000000000001000000:1F90 02000100040003000600050008000700:D431',
    ],
  ])('%s, %s', (localAddress, remoteAddress, name) => {
    const ends = { localAddress, remoteAddress, localPort: 0x1f90, remotePort: 0xd431 };
    expect(nameConnection(ends)).toBe(name);
  });

  test('is null for a socket that is closed', () => {
    expect(nameConnection({})).toBeNull();
  });

  skipped.each(['127.0.0.1', '::1'])('is the one in the table of the kernel: %s', async (host) => {
    const server = createServer().listen(0);
    await once(server, 'listening');
    const client = connect((server.address() as AddressInfo).port, host);
    const [socket] = (await once(server, 'connection')) as [Socket];
    const table = readFileSync('/proc/net/tcp6', 'latin1');
    const name = nameConnection(socket);
    client.destroy();
    socket.destroy();
    server.close();
    expect(table).toContain(` ${name} `);
  });
});

describe('the table of connections', () => {
  test('is read to its end, in pieces', async () => {
    const file = folder('tcp');
    const ends = (port: number) =>
      `0100007F:1F90 020110AC:${port.toString(16).toUpperCase().padStart(4, '0')}`;
    const rows = Array.from({ length: 5000 }, (_, index) =>
      row({ ends: ends(index + 1), queued: index % 10 === 0 ? '0009570C' : '00000000' }),
    );
    writeFileSync(file, `  sl  local_address\n${rows.join('\n')}\n`);
    const waiting = await readWaiting([file]);
    expect(waiting.size).toBe(500);
    expect(new Set([...waiting.values()].map(({ bytes }) => bytes))).toEqual(new Set([612_108]));
  });

  test('is empty on a system that has none', async () => {
    expect(await readWaiting([folder('missing')])).toEqual(new Map());
  });
});
