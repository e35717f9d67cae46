import type { HttpCall } from '@gangan/providers';
import type { Reason, SubmitResult, TopUpResult } from './airtime-provider.js';

/** What customers see. What a provider says may be about our account. */
const messages: Readonly<Record<string, string>> = {
  invalid_number: 'The network does not know this number',
  invalid_amount: 'The network does not sell this amount',
  not_available: 'The network cannot be topped up at the moment',
  product_unavailable: 'The product is no longer sold; nothing was sent',
  rejected: 'The network rejected the top-up',
  recently_topped_up: 'The number was topped up shortly before',
  provider_unreachable: 'The provider could not be reached',
  provider_unavailable: 'The provider cannot be used at the moment',
  no_answer: 'The provider has not reported the outcome',
};

export const reasonOf = (code: string): Reason => ({
  code,
  message: messages[code] ?? 'The provider rejected the top-up',
});

export const declined = (code: string): SubmitResult => ({ kind: 'declined', reason: reasonOf(code) });
export const failed = (code: string): TopUpResult => ({ kind: 'failed', reason: reasonOf(code) });
export const unknown: TopUpResult = { kind: 'unknown' };
const noAnswer: TopUpResult = { kind: 'unknown', reason: reasonOf('no_answer') };
export const refused: SubmitResult = { kind: 'refused', reason: reasonOf('provider_unavailable') };

/** Of a submission that has no answer. */
export function withoutAnswer({ outcome }: Pick<HttpCall, 'outcome'>): SubmitResult {
  if (outcome === 'account') return refused;
  return outcome === 'unknown' ? noAnswer : { kind: 'not_sent', reason: reasonOf('provider_unreachable') };
}

/** Of an answer that does not tell the outcome. 408 and 5xx say that the provider failed: they count as no answer. */
export const unknownAfter = (status: number): TopUpResult =>
  status === 408 || status >= 500 ? noAnswer : unknown;

/** The provider did not answer, so its health is in doubt. */
export const isUnanswered = (result: SubmitResult): boolean =>
  result.kind === 'not_sent' || (result.kind === 'unknown' && result.reason?.code === 'no_answer');
