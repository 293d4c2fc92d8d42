import { isIPv6 } from 'node:net';
import type { Clock } from '../../../service/clock.ts';
import { groupsOf } from '../../../service/ip-groups.ts';
import { createLruCache } from '../../../service/lru-cache.ts';
import { PageError } from '../page-error.ts';

const WINDOW_MS = 60_000;
const MAX_ADDRESSES = 10_000;

/** The first half of an IPv6 address: a client has a whole network of them, and can use another for each attempt. */
function networkOf(address: string): string {
  const isNetworked = isIPv6(address) && !address.includes('.');
  return isNetworked ? groupsOf(address).slice(0, 4).join(':') : address;
}

/**
 * Bounds how often an address may do something in a minute, such as trying invalid tokens. Guessing a token is hopeless
 * anyway; the bound saves the database a query for each try.
 */
export class AttemptsByAddress {
  /** By address or network: the attempts in a window, and the window's end in milliseconds since 1970. */
  readonly #attempts = createLruCache<string, { count: number; until: number }>(MAX_ADDRESSES);
  readonly #max: number;
  readonly #clock: Clock;

  /** @param max the most attempts of an address in a minute */
  constructor(max: number, clock: Clock) {
    this.#max = max;
    this.#clock = clock;
  }

  /** @throws PageError 429 if the address has tried too often */
  require(address: string): void {
    const found = this.#attempts.get(networkOf(address));
    if (found && found.until > this.#clock.now() && found.count >= this.#max) {
      throw new PageError(429, 'Too many attempts came from your address: wait a minute.');
    }
  }

  note(address: string): void {
    const network = networkOf(address);
    const found = this.#attempts.get(network);
    if (found && found.until > this.#clock.now()) found.count += 1;
    else this.#attempts.set(network, { count: 1, until: this.#clock.now() + WINDOW_MS });
  }
}
