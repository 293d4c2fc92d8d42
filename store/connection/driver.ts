import { createPgDriverFactory } from '@slonik/pg-driver';
import { BackendTerminatedError, type DriverClient, type DriverFactory } from 'slonik';

/**
 * An answer that came while this process did something else for too long counts: it is read before the time is called.
 *
 * @throws BackendTerminatedError where there is no answer after so many milliseconds.
 */
async function answerWithin<T>(ms: number, answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_resolve, reject) => {
    const giveUp = () => reject(new BackendTerminatedError(new Error(`No answer within ${ms} ms.`)));
    timer = setTimeout(() => setImmediate(giveUp), ms);
  });
  try {
    return await Promise.race([answer, silence]);
  } finally {
    clearTimeout(timer);
  }
}

/** Every connection of this process: all lead to the same server. */
const clients = new Set<DriverClient>();

/** Ends the connections that nobody uses: each would otherwise cost the next to use it as long a wait. */
function endIdle(): void {
  for (const client of clients) if (client.state() === 'IDLE') client.destroy().catch(() => {});
}

/**
 * slonik's driver, which waits for no answer longer than `answerMs`. A connection whose other end is gone without a
 * word says nothing at all, and the statement timeout is kept by the server alone, so nobody else would notice.
 *
 * slonik ends every connection whose query failed. Those that are idle are ended with it.
 */
export function createDriver(answerMs: number): DriverFactory {
  const createPgDriver = createPgDriverFactory();
  return async (configuration) => {
    // It makes a connection and asks for the numbers of types.
    const driver = await answerWithin(2 * answerMs, createPgDriver(configuration));
    const createClient = async (): Promise<DriverClient> => {
      const client = await driver.createClient();
      clients.add(client);
      client.on('destroy', () => clients.delete(client));
      const query: DriverClient['query'] = async (...args) => {
        try {
          return await answerWithin(answerMs, client.query(...args));
        } catch (error) {
          if (error instanceof BackendTerminatedError) endIdle();
          throw error;
        }
      };
      return { ...client, query };
    };
    return { createClient };
  };
}
