export { type CallbackStatus, callbackStatuses } from './callback-status.js';
export {
  type AirtimeCallbackType,
  airtimeCallbackTypes,
  type CallbackType,
  type MessageCallbackType,
  messageCallbackTypes,
} from './callback-types.js';
export { callbackUrlError, setAllowPrivateCallbacks } from './callback-url.js';
export { callbackDue, findCallback, listCallbacks, resendCallback } from './callback.contract.js';
export {
  AirtimeCallback,
  type CallbackBody,
  CallbackDue,
  CallbackReason,
  MessageCallback,
  MessageReport,
  PurchaseReport,
} from './callback.dto.js';
export {
  CallbackAttempt,
  CallbackDetails,
  CallbackSummary,
  FindCallbackRequest,
} from './find-callback.dto.js';
export { IsCallbackUrl } from './is-callback-url.js';
export { CallbackPage, ListCallbacksRequest } from './list-callbacks.dto.js';
export { isPublicAddress } from './public-address.js';
