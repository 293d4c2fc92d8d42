import type { Connection, Reader, Writer } from '../library.ts';

/** Sends a request of a version with tagged fields. @throws the client's error if the connection fails */
export function sendRequest<Answer>(
  connection: Connection,
  [api, version]: readonly [api: number, version: number],
  write: () => Writer,
  read: (reader: Reader) => Answer,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    connection.send(
      api,
      version,
      write,
      (_correlationId, _apiKey, _apiVersion, reader) => read(reader),
      true,
      true,
      (error, answer) => {
        if (error || !answer) reject(error);
        else resolve(answer);
      },
    );
  });
}
