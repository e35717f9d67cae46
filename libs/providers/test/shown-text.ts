import { inspect } from 'node:util';
import type { HttpCall } from '../src/http/http-exchange.js';

/** All that an operator can see of a call. */
export function shownText(call: HttpCall<string>): string {
  const { request, answer } = call.shown;
  return inspect({ ...call, request, answer }, { depth: null, showHidden: true });
}
