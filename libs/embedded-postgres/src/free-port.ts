import { createServer } from 'node:net';

/** Whether `port` (0: any) can be had on this machine's own address; the port when it can. */
export const tryPort = (port: number): Promise<number | undefined> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => {
      resolve(undefined);
    });
    probe.listen(port, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => {
        resolve(typeof address === 'object' && address ? address.port : undefined);
      });
    });
  });

/** A port that nobody listens on at this moment. */
export async function freePort(): Promise<number> {
  const port = await tryPort(0);
  if (port === undefined) throw new Error('No port on 127.0.0.1 is free.');
  return port;
}
