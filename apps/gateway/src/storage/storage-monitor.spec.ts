import type { Database } from '@gangan/database';
import { type AppLogger, Registry } from '@gangan/runtime';
import { expect, it } from '@jest/globals';
import type { GatewayConfig } from '../gateway.config.js';
import { StorageMonitor } from './storage-monitor.js';

const gibibyte = 1_073_741_824;

it.each([
  [{}, [24.5, 40]],
  [{ DATABASE_MAX_BYTES: 100 * gibibyte }, []],
])('the storage monitor with %j reports growth by 10 GiB at %j', async (values, expected) => {
  const reported: number[] = [];
  let size = 0;
  const logger = { warn: ({ bytes }: { bytes: number }) => reported.push(bytes / gibibyte) };
  const database = { run: () => Promise.resolve([{ bytes: BigInt(size * gibibyte) }]) };
  const monitor = new StorageMonitor(
    database as unknown as Database,
    values as GatewayConfig,
    logger as unknown as AppLogger,
    new Registry(),
  );
  for (size of [5, 14.5, 24.5, 30, 34, 40, 12, 44]) await monitor.measure();
  expect(reported).toEqual(expected);
});
