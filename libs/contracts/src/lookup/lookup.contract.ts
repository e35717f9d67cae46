import { defineRequest } from '@gangan/protocol';
import { LookupPhoneRequest, PhoneLookup } from './lookup.dto.js';

export const lookupPhone = defineRequest({
  queue: 'lookup',
  name: 'lookup.phone',
  deadlineMs: 5_000,
  request: LookupPhoneRequest,
  reply: PhoneLookup,
});
