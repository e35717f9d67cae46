import { describe, expect, it } from '@jest/globals';
import { blockedPorts } from './blocked-ports.js';

/** Node refuses such a port before it opens a connection. Earlier versions do not know that 0 was added. */
const refusedByNode = async (port: number): Promise<boolean> => {
  const error: unknown = await fetch(`https://127.0.0.1:${port}/`).then(
    () => undefined,
    (failure: unknown) => failure,
  );
  return String((error as { cause?: unknown } | undefined)?.cause).includes('bad port');
};

describe('the blocked ports', () => {
  it('are blocked by fetch, too', async () => {
    const ports = [...blockedPorts].filter((port) => port > 0);
    expect(ports).toHaveLength(82);
    expect(await Promise.all(ports.map(refusedByNode))).toEqual(ports.map(() => true));
  });

  it.each([80, 443, 3000, 8080, 8443])('do not include %d', (port) => {
    expect(blockedPorts.has(port)).toBe(false);
  });
});
