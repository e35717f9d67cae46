import { wholeNumber } from './validators.js';

/** Read by every worker that accepts requests with a callback URL. */
export const waitingCallbacks = wholeNumber({ min: 0, max: 2_147_483_647 })({
  default: 1_000_000,
  desc: 'Callbacks of an organisation without its own limit that may wait before new messages and airtime purchases with callbacks get 429; 0 means no limit',
});
