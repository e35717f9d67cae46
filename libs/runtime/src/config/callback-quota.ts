import { wholeNumber } from './validators.js';

/** Read by every worker that accepts requests with a callback URL. */
export const waitingCallbacks = wholeNumber({ min: 0, max: 2_147_483_647 })({
  default: 1_000_000,
  desc: 'Waiting callbacks of an organisation above which requests that cause further ones get 429',
});
