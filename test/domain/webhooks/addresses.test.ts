import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { checkWebhookUrl, isPublicAddress } from '../../../domain/webhooks/addresses.ts';

const check = (text: string, allowPrivate = false) => checkWebhookUrl(text, allowPrivate);

describe('the address of a webhook', () => {
  test.each([
    ['https://hooks.example.org/a?b=c', 'https://hooks.example.org/a?b=c'],
    ['HTTPS://Hooks.Example.ORG', 'https://hooks.example.org/'],
    ['https://hooks.example.org:443/', 'https://hooks.example.org/'],
    ['https://hooks.example.org:8443/x', 'https://hooks.example.org:8443/x'],
    ['https://8.8.8.8/', 'https://8.8.8.8/'],
    ['https://[2606:4700::1111]/', 'https://[2606:4700::1111]/'],
    ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
  ])('%s is accepted in its one form', (text, url) => {
    expect(check(text)).toEqual({ url });
  });

  test.each([
    ['http://hooks.example.org/', 'https'],
    ['ftp://hooks.example.org/', 'https'],
    ['hooks.example.org', 'https'],
    ['https://', 'https'],
    ['https://user@hooks.example.org/', 'user name'],
    ['https://user:word@hooks.example.org/', 'user name'],
    ['https://8.8.8.8@127.0.0.1/', 'user name'],
    ['https://hooks.example.org/#top', 'fragment'],
    ['https://hooks.example.org/#', 'fragment'],
    ['https://hooks.example.org:22/', 'port 443 or 8443'],
    ['https://hooks.example.org:80/', 'port 443 or 8443'],
    [`https://hooks.example.org/${'a'.repeat(2000)}`, '2000 characters'],
    // As long again in its one form.
    [`https://hooks.example.org/${'é'.repeat(900)}`, '2000 characters'],
    ['https://localhost/', 'public host'],
    ['https://localhost./', 'public host'],
    ['https://a.localhost/', 'public host'],
    ['https://a.localhost./', 'public host'],
    ['https://metadata/', 'public host'],
    ['https://metadata.google.internal/', 'public host'],
    ['https://printer.local./', 'public host'],
    // Loopback and metadata, as numbers, octal, hexadecimal, shortened and in full-width digits.
    ['https://127.0.0.1/', 'public address'],
    ['https://2130706433/', 'public address'],
    ['https://0177.0.0.1/', 'public address'],
    ['https://0x7f.1/', 'public address'],
    ['https://127.1/', 'public address'],
    ['https://0/', 'public address'],
    ['https://0.0.0.0/', 'public address'],
    ['https://１２７.0.0.1/', 'public address'],
    ['https://127。0。0。1/', 'public address'],
    ['https://ｌｏｃａｌｈｏｓｔ/', 'public host'],
    ['https://xn--localhost-/', 'public host'],
    ['https://127.0.0.1./', 'public address'],
    ['https://0x7f000001./', 'public address'],
    ['https://017700000001/', 'public address'],
    ['https://10.1./', 'public address'],
    ['https://user@127.0.0.1:8443/', 'user name'],
    ['https://127.0.0.1:8443/', 'public address'],
    ['https://8.8.8.8:25/', 'port 443 or 8443'],
    ['https://[::ffff:169.254.169.254]:443/', 'public address'],
    ['https://[64:ff9b:1::a00:1]/', 'public address'],
    ['https://169.254.169.254/latest/meta-data', 'public address'],
    ['https://2852039166/', 'public address'],
    ['https://[::1]/', 'public address'],
    ['https://[::]/', 'public address'],
    ['https://[::ffff:127.0.0.1]/', 'public address'],
    ['https://[::ffff:7f00:1]/', 'public address'],
    ['https://[::127.0.0.1]/', 'public address'],
    ['https://[64:ff9b::7f00:1]/', 'public address'],
    ['https://[2002:7f00:1::]/', 'public address'],
    ['https://[fe80::1]/', 'public address'],
    ['https://[fd00:ec2::254]/', 'public address'],
  ])('%s is refused: %s', (text, reason) => {
    expect(check(text)).toEqual({ problem: expect.stringContaining(reason) });
  });

  test.each([
    ['http://127.0.0.1:3000/x'],
    ['http://localhost:3000/'],
    ['https://receiver.internal:9000/'],
    ['http://[::1]:3000/'],
  ])('%s is accepted if private ones are allowed', (text) => {
    expect(check(text, true)).toEqual({ url: text });
    expect(check(text, false)).toHaveProperty('problem');
  });

  test.each([
    ['ftp://localhost/', 'http or https'],
    ['http://user@localhost/', 'user name'],
    ['http://localhost/#top', 'fragment'],
  ])('%s is refused even then', (text, reason) => {
    expect(check(text, true)).toEqual({ problem: expect.stringContaining(reason) });
  });
});

describe('an IP address', () => {
  test.each([
    ...['0.0.0.1', '10.0.0.1', '100.64.0.1', '127.255.255.255', '169.254.169.254', '172.16.0.1'],
    ...['172.31.255.255', '192.0.0.192', '192.0.2.1', '192.88.99.1', '192.168.255.1', '198.18.0.1'],
    ...['198.19.255.255', '198.51.100.1', '203.0.113.1', '224.0.0.1', '239.255.255.255', '240.0.0.1'],
    ...['255.255.255.255', '168.63.129.16', '::', '::1', '::ffff:8.8.8.8', '64:ff9b::808:808'],
    ...['64:ff9b:1::1', '100::1', '2001::1', '2001:db8::1', '2002:808:808::1', '3fff::1', 'fc00::1'],
    ...['fd12::1', 'fe80::1', 'fe80::1%eth0', 'fec0::1', 'ff02::1', '', 'localhost', '8.8.8', '8.8.8.8 '],
    ...['2606:4700::1111%eth0'],
  ])('%s is not public', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  test.each([
    '1.1.1.1',
    '8.8.8.8',
    '100.63.255.255',
    '100.128.0.0',
    '172.15.0.1',
    '172.32.0.1',
    '192.167.0.1',
  ])('%s is public', (address) => expect(isPublicAddress(address)).toBe(true));
  test.each(['2606:4700::1111', '2a00:1450:4001::1', '2001:4860:4860::8888', '2003::1'])(
    '%s is public',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );

  test('of a network that is not public is refused however it is written into an address', () => {
    const octet = fc.nat({ max: 255 });
    const networks = fc.constantFrom([10], [127], [169, 254], [192, 168], [172, 20], [100, 100], [0], [230]);
    const written = fc.constantFrom<(octets: number[]) => string>(
      (octets) => octets.join('.'),
      (octets) => String(octets.reduce((sum, each) => sum * 256 + each, 0)),
      (octets) => octets.map((each) => `0x${each.toString(16)}`).join('.'),
      (octets) => octets.map((each) => `0${each.toString(8)}`).join('.'),
      (octets) => `[::ffff:${octets.join('.')}]`,
      (octets) => `[64:ff9b::${octets.join('.')}]`,
      (octets) =>
        `[2002:${octets
          .map((each) => each.toString(16).padStart(2, '0'))
          .join('')
          .replace(/(.{4})/, '$1:')}::1]`,
    );
    fc.assert(
      fc.property(
        networks,
        fc.array(octet, { minLength: 4, maxLength: 4 }),
        written,
        (network, rest, write) => {
          const octets = [...network, ...rest].slice(0, 4);
          expect(check(`https://${write(octets)}/`)).toHaveProperty('problem');
        },
      ),
    );
  });
});
