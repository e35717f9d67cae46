export const workers = ['messaging', 'otp', 'airtime', 'lookup', 'contacts', 'callback'] as const;

/** A small young generation saves 20 MB per worker. The gateway, which makes most garbage, keeps Node's default. */
export const workerFlags = ['--max-semi-space-size=1'];

export const apps = [
  { name: 'gateway', role: 'gateway', nodeFlags: [] },
  ...workers.map((name) => ({ name, role: 'worker', nodeFlags: workerFlags }) as const),
] as const;

export type AppName = (typeof apps)[number]['name'];
