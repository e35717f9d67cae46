import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { TestSystem } from '@gangan/testing';

/** Makes the processes of a system ready for `heapOf`. */
export const tellingHeap = { NODE_OPTIONS: `--import=${new URL('tell-heap.mjs', import.meta.url).href}` };

/** What an app holds in memory that is not garbage, in bytes. */
export async function heapOf(system: TestSystem, app: string): Promise<number> {
  const pid = system.apps()[app] ?? 0;
  const file = join(system.folder, `heap-${pid}`);
  await rm(file, { force: true });
  process.kill(pid, 'SIGUSR2');
  for (;;) {
    const told = await readFile(file, 'utf8').catch(() => '');
    if (told !== '') return Number(told);
    await pause(20);
  }
}
