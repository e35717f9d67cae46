export const workers = ['messaging', 'otp', 'airtime', 'lookup', 'contacts', 'callback'] as const;

/** A small young generation saves 20 MB per worker. The gateway, which makes most garbage, keeps Node's default. */
const workerFlags = ['--max-semi-space-size=1'];

/**
 * For the process of all workers: the first full garbage collection comes at 64 MB, and the heap grows by half between two of
 * them. After 5,000 messages the process took 160 MB in three runs; without these flags 150 to 250 MB in four, depending on
 * when V8 collected.
 */
export const compactFlags = [...workerFlags, '--initial-old-space-size=64', '--heap-growing-percent=50'];

export const apps = [
  { name: 'gateway', role: 'gateway', nodeFlags: [] },
  ...workers.map((name) => ({ name, role: 'worker', nodeFlags: workerFlags }) as const),
] as const;

export type AppName = (typeof apps)[number]['name'];
