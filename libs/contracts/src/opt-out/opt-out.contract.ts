import { queueContracts, shortDeadline } from '../queue-contracts.js';
import { RecordId } from '../record-id.dto.js';
import { AddOptOutRequest, ListOptOutsRequest, OptOut, OptOutPage } from './opt-out.dto.js';

const { request } = queueContracts('messaging', 'messaging');

export const addOptOut = request('opt-out.add', AddOptOutRequest, OptOut, shortDeadline);
export const listOptOuts = request('opt-out.list', ListOptOutsRequest, OptOutPage, shortDeadline);
export const removeOptOut = request('opt-out.remove', RecordId, OptOut, shortDeadline);
