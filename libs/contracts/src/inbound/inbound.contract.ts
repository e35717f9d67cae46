import { queueContracts } from '../queue-contracts.js';
import { InboundProviderList, InboundReceipt, ListInboundProviders, ReceiveInbound } from './inbound.dto.js';

/** Requests of providers have a queue of their own, so that they do not wait behind messages that are sent. */
const { request } = queueContracts('inbound', 'messaging');

/** The longest time for which a gateway waits for a worker while a provider waits. */
const deadlineMs = 2_000;

/** Lists the providers whose requests a gateway passes on. It contains no secret and no token: the worker verifies. */
export const listInboundProviders = request('inbound.providers', ListInboundProviders, InboundProviderList, {
  deadlineMs,
});

/** Verifies and stores a request of a provider. */
export const receiveInbound = request('inbound.receive', ReceiveInbound, InboundReceipt, { deadlineMs });
