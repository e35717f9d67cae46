import { register } from 'node:module';

let system;
let stopped;

/**
 * Starts the system that the spec files of a run share. In the fast suite it is compact, which starts faster and takes less
 * processor time; in the full suite it has a process per app.
 */
export async function start() {
  // In watch mode there was an earlier run.
  system = stopped = undefined;
  register('../../../tools/jest/hooks.mjs', import.meta.url);
  const { isFullSuite, shareSystem, TestSystem } = await import('@gangan/testing');
  const { environment } = await import('../test/support/environment.ts');
  const { reportingHeap } = await import('../test/fuzz/heap.ts');
  system = await TestSystem.open({ ...environment, ...reportingHeap }, { compact: !isFullSuite });
  await system.start();
  shareSystem(system);
}

/** Stops it once. */
export const stop = () => (stopped ??= Promise.resolve(system?.close()));
