import { InboxMessage } from '../inbox/inbox.dto.js';
import { queueContracts, shortDeadline } from '../queue-contracts.js';
import { ListOutboxRequest, OutboxPage, PlayInboundRequest } from './simulator.dto.js';

const { request } = queueContracts('messaging', 'messaging');

export const playInbound = request('simulator.play-inbound', PlayInboundRequest, InboxMessage, shortDeadline);

export const listOutbox = request('simulator.list-outbox', ListOutboxRequest, OutboxPage, shortDeadline);
