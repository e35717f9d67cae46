/** One process each. The gateway asks and waits; the rest serve lanes of the queue. */
export interface AppSpec {
  readonly name: string;
  readonly role: 'gateway' | 'worker';
}

/**
 * What loading leaves in the young generation stays resident, 30 MB in each process. Workers go without so much of
 * it; the gateway, which makes the most garbage under load, keeps Node's own choice.
 */
export const nodeFlags = { gateway: [], worker: ['--max-semi-space-size=1'] } as const;

export const apps: readonly AppSpec[] = [
  { name: 'gateway', role: 'gateway' },
  { name: 'messaging', role: 'worker' },
  { name: 'otp', role: 'worker' },
  { name: 'airtime', role: 'worker' },
  { name: 'lookup', role: 'worker' },
  { name: 'contacts', role: 'worker' },
  { name: 'callback', role: 'worker' },
];
