import { queueContracts, shortDeadline } from '../queue-contracts.js';
import { LookupPhoneRequest, LookupReply } from './lookup.dto.js';

const { request } = queueContracts('lookup');

/** Returns an empty reply if only a live provider knows the number: then send `lookupPhoneLive`. */
export const lookupPhone = request('lookup.phone', LookupPhoneRequest, LookupReply, shortDeadline);

/** Calls a live provider. Not batched, so that it does not delay lookups whose answer is known. */
export const lookupPhoneLive = request('lookup.phone-live', LookupPhoneRequest, LookupReply, {
  batch: false,
});
