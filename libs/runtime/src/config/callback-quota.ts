import { wholeNumber } from './validators.js';

/** Read by every worker that accepts requests with a callback URL. */
export const waitingCallbacks = wholeNumber({ min: 0, max: 2_147_483_647 })({
  default: 1_000_000,
  desc: 'Callbacks that may wait for delivery before new messages and airtime purchases with a callback URL, or whose events an endpoint receives, get 429, for an organisation without its own limit; 0 means no limit',
});
