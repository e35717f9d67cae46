import type { JudgedRequest, Verdict } from '@gangan/providers';
import type { SubmitResult } from '../message-provider.js';

/** Codes that mean that the provider itself is not available. */
const unavailable: ReadonlySet<string> = new Set(['provider_unreachable', 'provider_unavailable']);
/** Codes of submissions that did not leave this process. */
const notSent: ReadonlySet<string> = new Set(['not_submitted', 'invalid_request']);

/** For metrics, and for the limits of a provider. */
export const outcomeOf = (
  result: SubmitResult,
): SubmitResult['kind'] | 'refused' | 'quiet' | 'throttled' | 'pair' | 'account' =>
  (result.kind === 'transient' ? result.cause : undefined) ?? result.kind;

export const codeOf = (result: SubmitResult): string => {
  if (result.kind === 'accepted') return '';
  return outcomeOf(result) === 'account' ? 'account' : (result.reason?.code ?? 'no_answer').slice(0, 64);
};

/** Undefined if the result does not affect health. */
export function judge(result: SubmitResult): Verdict | undefined {
  switch (outcomeOf(result)) {
    case 'accepted':
      return 'accepts';
    case 'account':
      return 'account';
    case 'rejected':
    case 'failed':
    case 'refused':
    case 'quiet':
    case 'throttled':
      return 'answers';
    // The message may not have been sent to the provider.
    case 'pair':
      return undefined;
    case 'unknown':
      return codeOf(result) === 'no_answer' ? 'fails' : 'answers';
    case 'transient':
      if (notSent.has(codeOf(result))) return undefined;
      return unavailable.has(codeOf(result)) ? 'fails' : 'answers';
  }
}

/** A request has the first of these verdicts that one of its messages has: a provider that accepts one message works. */
const order: readonly Verdict[] = ['accepts', 'account', 'answers', 'fails'];

/** Judges a call by its requests, so that a batch counts once. @param deliveryIds in the order of the results */
export function judgeRequests(
  results: readonly SubmitResult[],
  deliveryIds: readonly string[],
): Required<JudgedRequest>[] {
  const requests = new Map<number | string, Required<JudgedRequest>>();
  for (const [index, result] of results.entries()) {
    const verdict = judge(result);
    if (!verdict) continue;
    const id = deliveryIds[index] ?? '';
    const key = result.request ?? `alone:${index}`;
    const known = requests.get(key);
    if (known && order.indexOf(known.verdict) < order.indexOf(verdict)) continue;
    const others = known?.verdict === verdict ? known.subjects : [];
    requests.set(key, { verdict, code: codeOf(result), subjects: [...others, id] });
  }
  return [...requests.values()];
}
