import type { RequestContext } from '@gangan/protocol';
import type { QueueSettings } from '@gangan/queue';
import type { Charge, Receipt } from '../charge/charge.contract.js';

/** What the processes of a way need. */
export interface WaySettings {
  readonly databaseUrl: string;
  /** Unused by the ways without a queue. */
  readonly queue: Pick<QueueSettings, 'connection' | 'tuning'> & { readonly masterKey: string };
}

/** How the gateway carries out a charge. */
export type ChargeFunction = (charge: Charge, context: RequestContext) => Promise<Receipt>;

/** One way to handle a request. Each part runs in its own process, which is simply killed at the end. */
export interface Way {
  gateway(settings: WaySettings): Promise<ChargeFunction>;
  worker?(settings: WaySettings): Promise<void>;
}

/** The default pool sizes of the apps. */
export const databasePool = 6;
export const queuePool = 5;
