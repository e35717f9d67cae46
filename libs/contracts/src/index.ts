export { networks } from './airtime/networks.js';
export { lookupPhone } from './lookup/lookup.contract.js';
export { LookupPhoneRequest, PhoneLookup } from './lookup/lookup.dto.js';
export { isKnownRegion, type ParsedPhone, parsePhone, setDefaultRegion } from './phone-number.js';
export { allContracts, contractsOf } from './registry.js';
export { IsPhone } from './validation/is-phone.js';
export { Nested, NestedList } from './validation/nested.js';
export { Required } from './validation/required.js';
export { validate, type Validated } from './validation/validate.js';
