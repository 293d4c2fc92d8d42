import { createServer } from 'node:net';

function listenOnce(port: number, host?: string): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(null);
      else reject(error);
    });
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : null));
    });
  });
}

/**
 * A port of 127.0.0.1 that nobody listens on at this moment. Another program can take it before it is used,
 * which is why a server that fails to start is started again.
 */
export async function findFreePort(): Promise<number> {
  const port = await listenOnce(0, '127.0.0.1');
  if (port === null) throw new Error('the system has no free port');
  return port;
}

/** Whether a server could listen on this port of every address now. */
export async function isPortFree(port: number): Promise<boolean> {
  return (await listenOnce(port)) !== null;
}
