import { airtimeReason, type AirtimeReasonCode } from '@gangan/contracts';
import type { HttpCall } from '@gangan/providers';
import type { SubmitResult, TopUpResult } from './airtime-provider.js';

export const declined = (code: AirtimeReasonCode): SubmitResult => ({
  kind: 'declined',
  reason: airtimeReason(code),
});
export const failed = (code: AirtimeReasonCode): TopUpResult => ({
  kind: 'failed',
  reason: airtimeReason(code),
});
/** The result for a code that means that nothing was bought. Another provider may sell what this one does not currently sell. */
export const notMade = (code: AirtimeReasonCode): SubmitResult =>
  code === 'not_available' ? declined(code) : failed(code);
export const unknown: TopUpResult = { kind: 'unknown' };
const noAnswer: TopUpResult = { kind: 'unknown', reason: airtimeReason('no_answer') };
export const refused: SubmitResult = { kind: 'refused', reason: airtimeReason('provider_unavailable') };

/** The result of a submission that has no answer. */
export function withoutAnswer({ outcome }: Pick<HttpCall, 'outcome'>): SubmitResult {
  if (outcome === 'account') return refused;
  return outcome === 'unknown'
    ? noAnswer
    : { kind: 'not_sent', reason: airtimeReason('provider_unreachable') };
}

/** The result of an answer that does not tell the outcome. 408 and 5xx say that the provider failed: no answer. */
export const unknownAfter = (status: number): TopUpResult =>
  status === 408 || status >= 500 ? noAnswer : unknown;

/** The provider did not answer, so its health is in doubt. */
export const isUnanswered = (result: SubmitResult): boolean =>
  result.kind === 'not_sent' || (result.kind === 'unknown' && result.reason?.code === 'no_answer');
