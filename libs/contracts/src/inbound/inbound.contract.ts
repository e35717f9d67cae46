import { queueContracts } from '../queue-contracts.js';
import { RecordEvent } from '../record-id.dto.js';
import { InboundProviderList, ListInboundProviders } from './inbound.dto.js';

/** How the gateway verifies what providers send. The worker opens the secrets: the gateway has no `DATA_KEY`. */
export const listInboundProviders = queueContracts('messaging', 'messaging').request(
  'inbound.providers',
  ListInboundProviders,
  InboundProviderList,
  { deadlineMs: 3_000 },
);

/** A request of a provider was stored. One attempt: if the event is lost, the sweeper finds the row. */
export const inboundReceived = queueContracts('delivery', 'messaging').event(
  'inbound.received',
  RecordEvent,
  {
    senders: ['gateway'],
    attempts: 1,
  },
);
