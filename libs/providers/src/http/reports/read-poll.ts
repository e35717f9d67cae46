import { itemsAt } from '../inbound-document.js';
import { type Answer, isSuccess, partOf, readPlace, wholeOf } from '../read-part.js';
import type { PollSettings } from './poll-settings.js';
import { findState, type FoundState } from './read-reports.js';
import type { ReportRule } from './report-settings.js';

/** What a provider says about a message that it accepted; or why that is not known. */
export type PolledState =
  | FoundState
  | {
      /** Shown to operators. Has no values of the answer other than an unknown status. */
      readonly fault: string;
      /** For how long the provider wants no such requests. */
      readonly retryAfterMs?: number;
    };

/** The delay if a provider does not say when it may be asked again. */
const defaultRetryAfterMs = 30_000;

/** Reads an answer to the question for the state of a message. Pure. @param states those of the reports */
export function readPoll(
  { list, status: place, code, states: own }: PollSettings,
  states: readonly ReportRule[],
  answer: Answer,
): PolledState {
  const { status: httpStatus, retryAfterMs } = answer;
  const isOverloaded = httpStatus === 429 || httpStatus === 503;
  if (!isSuccess(answer))
    return {
      fault: `the status of the answer is ${httpStatus}`,
      ...(isOverloaded && { retryAfterMs: retryAfterMs ?? defaultRetryAfterMs }),
    };
  const whole = wholeOf(answer);
  const [item] = list === undefined ? [] : (itemsAt(whole.document, list) ?? []);
  const part = list === undefined ? whole : partOf(answer, item);
  const status = item === undefined && list !== undefined ? undefined : readPlace(place, part)?.trim();
  if (!status) return { fault: 'the answer has no status' };
  const error = code === undefined ? undefined : readPlace(code, part)?.trim();
  const found = findState(own ?? states, status, error ? [error] : []);
  return typeof found === 'string' ? { fault: found } : found;
}
