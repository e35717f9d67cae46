import type { LeaseHolder } from '@gangan/leases';

/** A process without a heartbeat, for tests in which leases are not taken over. */
export const aHolder = { id: 1n } as LeaseHolder;
