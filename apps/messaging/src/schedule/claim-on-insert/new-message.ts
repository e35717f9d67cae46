import type { MessageCategory } from '@gangan/contracts';
import type { Channel, OrganisationMode } from '@gangan/database';
import type { PortedNumbers } from '@gangan/providers';
import type { ClaimedDelivery } from '../../submit/claims.repository.js';
import type { Routable } from '../../submit/routing.js';
import type { PricedDelivery } from '../../text/measure-message.js';
import type { MessageContent } from '../../text/message-text.js';

/** A message that is about to be stored. */
export interface NewMessage extends MessageContent {
  readonly id: string;
  readonly organisationId: string;
  readonly mode: OrganisationMode;
  readonly category: MessageCategory;
  readonly channel: Channel;
  readonly sender: string;
  readonly createdAt: Date;
  readonly sendAt: Date | null;
  readonly deliveries: readonly PricedDelivery[];
  /** Read only if a route names an operator. */
  readonly ported?: PortedNumbers;
}

/** What decides the route of one delivery of the message. */
export const routableOf = (message: NewMessage, { id, recipient }: PricedDelivery): Routable => ({
  id,
  organisationId: message.organisationId,
  trafficClass: 'sms',
  mode: message.mode,
  channel: message.channel,
  sender: message.sender,
  category: message.category,
  recipient,
  portedTo: message.ported?.get(recipient) ?? null,
});

/** One delivery of the message, claimed for its first attempt when it was inserted. */
export const claimedDeliveryOf = (
  message: NewMessage,
  { id, recipient, recipientGiven, pages }: PricedDelivery,
  provider: string,
): ClaimedDelivery => ({
  id,
  organisationId: message.organisationId,
  trafficClass: 'sms',
  state: 'submitting',
  attempt: 1,
  outcomeUnknown: false,
  unansweredElsewhere: false,
  unansweredHere: false,
  quietMs: null,
  excludedProviders: [],
  channel: message.channel,
  category: message.category,
  mode: message.mode,
  sender: message.sender,
  recipient,
  portedTo: message.ported?.get(recipient) ?? null,
  recipientGiven,
  pages,
  provider,
  messageId: message.id,
  hold: null,
  otpId: null,
  substitutions: null,
  sealedBody: null,
  ageMs: Date.now() - message.createdAt.getTime(),
});
