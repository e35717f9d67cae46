import type { TextSize } from '@gangan/contracts';
import type { Channel } from '@gangan/database';
import type { MessageBody } from '../text/message-text.js';
import type { Share } from './pricing.js';

/** One recipient of a message that is wanted. */
export interface OrderedDelivery extends Share {
  readonly id: string;
}

/** A message that is wanted, with its price. */
export interface Order extends MessageBody {
  readonly id: string;
  readonly organisationId: string;
  readonly channel: Channel;
  readonly sender: string;
  readonly templateId: string | null;
  /** Whose contacts it goes to, instead of deliveries; and what their worker calls them. */
  readonly smartlistId: string | null;
  readonly list: string | null;
  readonly externalRef: string | null;
  readonly trackable: boolean;
  readonly callbackUrl: string | null;
  readonly paging: TextSize;
  readonly kobo: bigint;
  readonly requestId: string;
  readonly createdAt: Date;
  readonly deliveries: readonly OrderedDelivery[];
}
