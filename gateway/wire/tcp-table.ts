import { endianness } from 'node:os';
import { groupsOf } from '../../service/ip-groups.ts';

/** The two ends of a connection: `address:port address:port`, in the form of `/proc/net/tcp6`. */
export type ConnectionName = string;

/** The ends of a socket, which are missing after it has closed. */
export interface SocketEnds {
  localAddress?: string | undefined;
  localPort?: number | undefined;
  remoteAddress?: string | undefined;
  remotePort?: number | undefined;
}

/** The kernel prints each 32-bit word of an address as a number of this machine. */
const WORDS_ARE_SWAPPED = endianness() === 'LE';
/** The beginning of an IPv4 address as IPv6: `::ffff:`. */
const MAPPED = WORDS_ARE_SWAPPED ? '0000000000000000FFFF0000' : '00000000000000000000FFFF';
/** How many repetitions without an answer show that a client does not receive: about seven round trips. */
const MIN_REPETITIONS = 3;

/** `sl: local remote st tx_queue:rx_queue tr:when retransmits uid probes`, the last one in decimal. */
const ROW =
  /^ *[0-9]+: ([0-9A-F]+):([0-9A-F]{4}) ([0-9A-F]+):([0-9A-F]{4}) [0-9A-F]{2} ([0-9A-F]{8}):[0-9A-F]{8} [0-9A-F]{2}:[0-9A-F]{8} ([0-9A-F]{8}) +[0-9]+ +([0-9]+) /;

/** The bytes that the kernel holds for the other end of a connection, until that acknowledges them. */
export interface WaitingBytes {
  connection: ConnectionName;
  bytes: number;
  /** Whether the kernel has sent them, or asked for room, several times without an answer. */
  unanswered: boolean;
}

/**
 * Reads a row of `/proc/net/tcp` or `/proc/net/tcp6`. Null if no bytes wait. A client that reads slowly has bytes
 * waiting, but its kernel answers.
 */
export function findWaiting(row: string): WaitingBytes | null {
  const [, localAddress, localPort, remoteAddress, remotePort, queued, retransmits, probes] =
    ROW.exec(row) ?? [];
  if (!localAddress || !remoteAddress || !queued || !retransmits || /^0+$/.test(queued)) return null;
  const repetitions = Math.max(Number.parseInt(retransmits, 16), Number(probes));
  return {
    connection: `${widen(localAddress)}:${localPort} ${widen(remoteAddress)}:${remotePort}`,
    bytes: Number.parseInt(queued, 16),
    unanswered: repetitions >= MIN_REPETITIONS,
  };
}

const widen = (address: string) => (address.length === 8 ? MAPPED + address : address);

/** Names the connection of a socket, as `findWaiting` does. Null if it is not connected. */
export function nameConnection(ends: SocketEnds): ConnectionName | null {
  const { localAddress, localPort, remoteAddress, remotePort } = ends;
  if (!localAddress || !localPort || !remoteAddress || !remotePort) return null;
  return `${formatEnd(localAddress, localPort)} ${formatEnd(remoteAddress, remotePort)}`;
}

function formatEnd(address: string, port: number): string {
  const bytes = Buffer.from(groupsOf(address).flatMap((group) => [group >> 8, group & 0xff]));
  if (WORDS_ARE_SWAPPED) bytes.swap32();
  const hex = bytes.toString('hex').toUpperCase();
  return `${widen(hex)}:${port.toString(16).padStart(4, '0').toUpperCase()}`;
}
