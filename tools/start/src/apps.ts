/** One process each. The gateway asks and waits; the rest serve lanes of the queue. */
export interface AppSpec {
  readonly name: string;
  readonly role: 'gateway' | 'worker';
}

export const apps: readonly AppSpec[] = [
  { name: 'gateway', role: 'gateway' },
  { name: 'messaging', role: 'worker' },
  { name: 'otp', role: 'worker' },
  { name: 'airtime', role: 'worker' },
  { name: 'lookup', role: 'worker' },
  { name: 'contacts', role: 'worker' },
  { name: 'callback', role: 'worker' },
];
