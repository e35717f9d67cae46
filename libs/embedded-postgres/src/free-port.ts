import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Whether `port` can be had on this machine's own address; the port when it can. */
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

/** Below those that systems hand out by themselves: a server that is restarted finds its port still free. */
const range = [15_000, 32_000] as const;
const mostTries = 100;

/** A port that nobody listens on at this moment. By chance, so that those who ask at the same time get different ones. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const port = await tryPort(randomInt(...range));
    if (port !== undefined) return port;
  }
  throw new Error('No port on 127.0.0.1 is free.');
}
