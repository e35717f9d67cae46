export { type AirtimeBounds, airtimeBoundsOf, isAirtimeBounds, setAirtimeBounds } from './airtime-bounds.js';
export { AirtimeDue } from './airtime-due.dto.js';
export { type AirtimeStatus, airtimeStatuses } from './airtime-status.js';
export { airtimeDue, buyAirtime, findAirtime, listAirtime } from './airtime.contract.js';
export {
  AirtimeCharge,
  AirtimeMeta,
  AirtimeNetwork,
  AirtimePurchase,
  AirtimeReason,
  BuyAirtimeRequest,
} from './airtime.dto.js';
export { AirtimePage, FindAirtimeRequest, ListAirtimeRequest } from './list-airtime.dto.js';
export { isNetwork, type Network, networks } from './networks.js';
export { nigerianPhoneMessage, parseNigerianPhone } from './nigerian-phone.js';
