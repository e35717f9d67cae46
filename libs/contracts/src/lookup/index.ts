export { LookupReply, type LookupSource, LookupSources } from './lookup-reply.dto.js';
export { lookupPhone, lookupPhoneLive } from './lookup.contract.js';
export { LookupPhoneRequest, PhoneLookup } from './lookup.dto.js';
