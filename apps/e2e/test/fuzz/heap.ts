import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type ReachableSystem, until } from '@gangan/testing';

/** Environment that enables `heapOf` in the processes of a system. */
export const reportingHeap = { NODE_OPTIONS: `--import=${new URL('report-heap.mjs', import.meta.url).href}` };

/** The heap size of an app after garbage collection, in bytes. */
export async function heapOf(system: ReachableSystem, app: string): Promise<number> {
  const pid = system.apps()[app] ?? 0;
  const file = join(system.folder, `heap-${pid}`);
  await rm(file, { force: true });
  process.kill(pid, 'SIGUSR2');
  return Number(await until(`${app} reports its heap size`, () => readFile(file, 'utf8').catch(() => '')));
}
