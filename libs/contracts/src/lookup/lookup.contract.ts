import { defineRequest } from '@gangan/protocol';
import { LookupReply } from './lookup-reply.dto.js';
import { LookupPhoneRequest } from './lookup.dto.js';

/** Answers with nothing where only a live provider can tell: then `lookupPhoneLive` is to be asked. */
export const lookupPhone = defineRequest({
  queue: 'lookup',
  name: 'lookup.phone',
  deadlineMs: 5_000,
  request: LookupPhoneRequest,
  reply: LookupReply,
});

/** Waits for somebody outside, in a lane of its own: those whose answer is known do not wait with it. */
export const lookupPhoneLive = defineRequest({
  queue: 'lookup',
  name: 'lookup.phone-live',
  batch: false,
  deadlineMs: 10_000,
  request: LookupPhoneRequest,
  reply: LookupReply,
});
