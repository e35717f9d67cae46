import { findPatternFaults, type Place, place } from '../answer-settings.js';
import { findNames } from '../request/placeholders.js';
import { askSchema, type RequestSettings } from '../request/request-settings.js';
import { listPointer, object } from '../schema.js';
import { findStateFaults, type ReportRule, stateSchema } from './report-settings.js';

/** How the provider is asked for the state of a message that it accepted: if it sends no reports, or one is late. */
export interface PollSettings {
  /**
   * Has the headers and credentials of the request for a message, and its host if the URL begins with a slash.
   * `{provider_reference}` is the reference that the provider gave.
   */
  readonly request: Pick<RequestSettings, 'method' | 'url' | 'headers' | 'json' | 'form'>;
  /** A list whose first element is about the message; absent if the whole answer is. */
  readonly list?: string;
  readonly status: Place;
  readonly code?: Place;
  /** The rules for states; by default those of `reports`. */
  readonly states?: readonly ReportRule[];
  /** The time from the acceptance to the first request; each further one follows after twice as long. */
  readonly afterSeconds?: number;
  /** Messages a second, over all workers. */
  readonly perSecond?: number;
}

export const pollDefaults = { afterSeconds: 300, perSecond: 5 } as const;

export const pollSchema = object(['request', 'status'], {
  request: askSchema,
  list: listPointer,
  status: place,
  code: place,
  states: stateSchema,
  afterSeconds: { type: 'integer', minimum: 1, maximum: 86_400 },
  perSecond: { type: 'integer', minimum: 1, maximum: 50 },
});

/** All faults of settings that have the right shape, except those of the request. */
export function findPollFaults(
  { request, status, code, states }: PollSettings,
  hasReports: boolean,
): string[] {
  return [
    ...(findNames(request).includes('provider_reference')
      ? []
      : ['settings.poll.request does not use {provider_reference}']),
    ...findPatternFaults('settings.poll', { status, ...(code !== undefined && { code }) }),
    ...(states === undefined && !hasReports
      ? ['settings.poll.states is missing: give it, or settings.reports, whose states count for both']
      : []),
    ...(states ? findStateFaults('settings.poll', states, code !== undefined) : []),
  ];
}
