import { once } from 'node:events';
import { isIP } from 'node:net';
import { connect, TLSSocket } from 'node:tls';
import { type Finding, failed, ok, warning } from '../../administration/health/finding.ts';
import type { Tls } from '../../service/brokers.ts';
import { type describeClientCertificate, rotatingContext } from '../../service/certificates.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** A certificate is reported if it ends within this number of days. */
const NOTICE_DAYS = 21;

/**
 * Judges the end of a certificate. @param whose the certificate in a sentence, such as "the certificate of host:9093"
 */
export function judgeExpiry(subject: string, whose: string, validTo: Date): Finding {
  const days = Math.floor((validTo.getTime() - Date.now()) / DAY_MS);
  const day = validTo.toISOString().slice(0, 10);
  if (validTo.getTime() < Date.now()) return failed(subject, `${whose} expired on ${day}: renew it.`);
  if (days < NOTICE_DAYS)
    return warning(subject, `${whose} expires on ${day}, in ${days} days: renew it before.`);
  return ok(subject, `${whose} is valid until ${day}.`);
}

/** The end of this process's certificate; nothing if it has none. */
export function judgeClientCertificate(
  subject: string,
  certificate: ReturnType<typeof describeClientCertificate>,
): Finding[] {
  if (certificate === null) return [];
  const whose = `The client certificate "${certificate.subject}" of ${certificate.setting}`;
  return [judgeExpiry(subject, whose, certificate.validTo)];
}

/**
 * The end of a server's certificate, trusted or not.
 *
 * @param address `host:port`
 * @throws the error of the connection
 */
export async function readServerExpiry(address: string, tls: Tls, timeoutMs: number): Promise<Date> {
  const { host, port } = splitAddress(address);
  const socket = connect({
    host,
    port,
    servername: tls.serverName ?? (isIP(host) === 0 ? host : ''),
    secureContext: rotatingContext(tls)(),
    // Only the date is read here; the clients themselves find out whether the certificate is trusted.
    rejectUnauthorized: false,
    timeout: timeoutMs,
  });
  try {
    socket.once('timeout', () => socket.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)));
    await once(socket, 'secureConnect');
    return readExpiry(socket) ?? new Date(Number.NaN);
  } finally {
    socket.destroy();
  }
}

/** The end of the certificate at the other side of a socket; null without a certificate. */
export function readExpiry(socket: unknown): Date | null {
  if (!(socket instanceof TLSSocket)) return null;
  const { valid_to: validTo } = socket.getPeerCertificate();
  return validTo ? new Date(validTo) : null;
}

function splitAddress(address: string): { host: string; port: number } {
  const at = address.lastIndexOf(':');
  return { host: address.slice(0, at).replace(/^\[|\]$/g, ''), port: Number(address.slice(at + 1)) };
}
