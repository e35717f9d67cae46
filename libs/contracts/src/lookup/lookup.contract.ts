import { FilePart, FilePartId } from '../contact/transfer.dto.js';
import { queueContracts, shortDeadline, slow } from '../queue-contracts.js';
import { RecordEvent, RecordId } from '../record-id.dto.js';
import {
  ListLookupBatchesRequest,
  LookupBatch,
  LookupBatchPage,
  LookupBatchRequest,
} from './lookup-batch.dto.js';
import { LookupPhoneRequest, LookupReply } from './lookup.dto.js';

const { request, event } = queueContracts('lookup', 'lookup');

/** Returns an empty reply if only a live provider knows the number: then send `lookupPhoneLive`. */
export const lookupPhone = request('lookup.phone', LookupPhoneRequest, LookupReply, shortDeadline);

/** Calls a live provider. Not batched, so that it does not delay lookups whose answer is known. */
export const lookupPhoneLive = request('lookup.phone-live', LookupPhoneRequest, LookupReply, {
  batch: false,
});

/** Not batched: the rows of a smartlist are counted. */
export const createLookupBatch = request('lookup.create-batch', LookupBatchRequest, LookupBatch, {
  ...slow,
  deadlineMs: 20_000,
});

export const findLookupBatch = request('lookup.find-batch', RecordId, LookupBatch, shortDeadline);

export const listLookupBatches = request('lookup.list-batches', ListLookupBatchesRequest, LookupBatchPage);

export const readLookupBatchPart = request('lookup.read-batch-part', FilePartId, FilePart, slow);

/** One attempt: if the event is lost, the sweeper finds the due row. */
export const lookupBatchDue = event('lookup.batch-due', RecordEvent, { senders: ['lookup'], attempts: 1 });
