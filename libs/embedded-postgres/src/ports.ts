import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Throws if nothing can listen on the port. */
export async function assertListenable(port: number, host: string): Promise<void> {
  const probe = createServer().listen(port, host);
  await once(probe, 'listening');
  probe.close();
  await once(probe, 'close');
}

/** Returns `port` if nothing listens on it on 127.0.0.1. */
export const tryPort = (port: number): Promise<number | undefined> =>
  assertListenable(port, '127.0.0.1').then(
    () => port,
    () => undefined,
  );

/** Below the ports that systems assign by themselves, so that a restarted server finds its port free. */
const range = [15_000, 32_000] as const;

/** A port that nothing listens on now; random, so that concurrent callers get different ones. */
export async function freePort(): Promise<number> {
  for (let attempt = 1; attempt <= 100; attempt += 1) {
    const port = await tryPort(randomInt(...range));
    if (port !== undefined) return port;
  }
  throw new Error('No port on 127.0.0.1 is free.');
}
