import { defineRequest } from '@gangan/protocol';
import { LookupPhoneRequest, LookupReply } from './lookup.dto.js';

/** Returns an empty reply if only a live provider knows the number: then send `lookupPhoneLive`. */
export const lookupPhone = defineRequest({
  queue: 'lookup',
  name: 'lookup.phone',
  deadlineMs: 5_000,
  request: LookupPhoneRequest,
  reply: LookupReply,
});

/** Calls a live provider. Not batched, so that it does not delay lookups whose answer is known. */
export const lookupPhoneLive = defineRequest({
  queue: 'lookup',
  name: 'lookup.phone-live',
  batch: false,
  deadlineMs: 10_000,
  request: LookupPhoneRequest,
  reply: LookupReply,
});
