import { setImmediate } from 'node:timers/promises';
import { AccountTurns } from '../../feed/account-turns.ts';

const turns = new AccountTurns<() => void>();
let lastTurn = Promise.resolve();

/**
 * Resolves in a turn of the event loop in which no other stream writes a piece: many would hold it up together. Accounts
 * take turns (INV-15).
 */
export function takeTurn(accountId: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  turns.add(resolve, accountId);
  lastTurn = lastTurn.then(() => setImmediate()).then(() => turns.take()?.());
  return promise;
}
