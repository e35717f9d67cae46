import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Returns `port` if nothing listens on it on 127.0.0.1. */
export async function tryPort(port: number): Promise<number | undefined> {
  const probe = createServer().listen(port, '127.0.0.1');
  try {
    await once(probe, 'listening');
  } catch {
    return undefined;
  }
  probe.close();
  await once(probe, 'close');
  return port;
}

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
