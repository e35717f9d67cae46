export const workers = ['messaging', 'otp', 'airtime', 'lookup', 'contacts', 'callback'] as const;

/** A small young generation saves 20 MB per worker. The gateway, which makes most garbage, keeps Node's default. */
const workerFlags = ['--max-semi-space-size=1'];

/**
 * For the process of all workers. V8 lets a new heap grow to some 200 MB before its first full garbage collection, and later
 * to several times what is in use. Here the first comes at 64 MB, and the heap grows by half between two of them.
 */
export const compactFlags = [...workerFlags, '--initial-old-space-size=64', '--heap-growing-percent=50'];

export const apps = [
  { name: 'gateway', role: 'gateway', nodeFlags: [] },
  ...workers.map((name) => ({ name, role: 'worker', nodeFlags: workerFlags }) as const),
] as const;

export type AppName = (typeof apps)[number]['name'];
