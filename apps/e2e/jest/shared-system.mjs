let system;
let stopped;

/** Starts the system that the spec files of a run share. */
export async function start() {
  await import('../../../tools/jest/register.mjs');
  const { shareSystem, TestSystem } = await import('@gangan/testing');
  const { environment } = await import('../test/support/environment.ts');
  const { reportingHeap } = await import('../test/fuzz/heap.ts');
  system = await TestSystem.open({ ...environment, ...reportingHeap });
  await system.start();
  shareSystem(system);
}

/** Stops it once. */
export const stop = () => (stopped ??= system?.close());
