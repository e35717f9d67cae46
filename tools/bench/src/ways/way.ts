import type { RequestContext } from '@gangan/protocol';
import type { QueueConnection, QueueSettings } from '@gangan/queue';
import type { Charge, Receipt } from '../charge/charge.contract.js';

/** Where the processes of a way find what they need. */
export interface Place {
  readonly databaseUrl: string;
  /** The ways without a queue do not look at it. */
  readonly queue: QueueSettings;
}

/** What a gateway does with a charge once it has been read from the wire. */
export type Answer = (charge: Charge, context: RequestContext) => Promise<Receipt>;

/** One way to answer a request. Each part runs in a process of its own, which ends without ceremony. */
export interface Way {
  gateway(place: Place): Promise<Answer>;
  worker?(place: Place): Promise<void>;
}

/** As many as an app has by default. */
export const databasePool = 6;
export const queuePool = 5;

export type BrokerKind = QueueConnection['kind'];
export const brokerKinds: readonly BrokerKind[] = ['redis', 'postgres'];
