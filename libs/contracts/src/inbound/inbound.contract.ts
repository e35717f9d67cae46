import { queueContracts } from '../queue-contracts.js';
import { InboundProviderList, InboundReceipt, ListInboundProviders, ReceiveInbound } from './inbound.dto.js';

/** A queue of its own: a provider does not wait behind messages that are sent. */
const { request } = queueContracts('inbound', 'messaging');

/** The longest time for which a gateway waits for a worker while a provider waits. */
const deadlineMs = 2_000;

/** Which requests of providers a gateway passes on. It gets no secret and no token: the worker verifies. */
export const listInboundProviders = request('inbound.providers', ListInboundProviders, InboundProviderList, {
  deadlineMs,
});

/** Verifies and stores a request of a provider. */
export const receiveInbound = request('inbound.receive', ReceiveInbound, InboundReceipt, { deadlineMs });
