import { queueContracts, shortDeadline } from '../queue-contracts.js';
import { RecordId } from '../record-id.dto.js';
import { InboxMessage, InboxPage, ListInboxRequest } from './inbox.dto.js';

const { request } = queueContracts('messaging', 'messaging');

export const listInbox = request('inbox.list', ListInboxRequest, InboxPage, shortDeadline);
export const findInboxMessage = request('inbox.find', RecordId, InboxMessage, shortDeadline);
