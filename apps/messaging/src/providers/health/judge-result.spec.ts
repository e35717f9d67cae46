import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { judge, judgeRequests } from './judge-result.js';
import type { SubmitResult } from '../message-provider.js';

const reason = (code: string) => ({ code, message: '' });
const transient = (code: string): SubmitResult => ({ kind: 'transient', reason: reason(code) });
const unknown = (code: string): SubmitResult => ({ kind: 'unknown', reason: reason(code) });
const accepted: SubmitResult = { kind: 'accepted', providerReference: 'r' };
const account: SubmitResult = { ...transient('provider_unavailable'), cause: 'account' } as SubmitResult;
const refused: SubmitResult = { ...transient('template_paused'), cause: 'refused' } as SubmitResult;
const throttled: SubmitResult = { ...transient('throttled'), cause: 'throttled' } as SubmitResult;

const table: readonly (readonly [string, SubmitResult, ReturnType<typeof judge>])[] = [
  ['an acceptance', accepted, 'accepts'],
  ['a fault of our account', account, 'account'],
  ['a refusal of the message', { kind: 'failed', reason: reason('invalid_number') }, 'answers'],
  ['a refusal of the recipient', { kind: 'rejected', reason: reason('dnd') }, 'answers'],
  ['throttling', throttled, 'answers'],
  ['a refusal by this provider only', refused, 'answers'],
  ['a missing route', transient('no_route'), 'answers'],
  ['an error that a rule calls transient', transient('provider_error'), 'answers'],
  ['an answer that cannot be read', unknown('unreadable_answer'), 'answers'],
  ['parts that were not accepted', unknown('partly_accepted'), 'answers'],
  ['a code that says that the outcome is unknown', unknown('unclear_answer'), 'answers'],
  ['a 5xx', unknown('no_answer'), 'fails'],
  ['no result', { kind: 'unknown' }, 'fails'],
  ['no connection', transient('provider_unreachable'), 'fails'],
  ['a provider that is not available', transient('provider_unavailable'), 'fails'],
  ['a request that was not sent', transient('not_submitted'), undefined],
  ['a request that cannot be built', transient('invalid_request'), undefined],
];

describe('the health of a provider', () => {
  it.each(table)('is judged by %s', (_, result, verdict) => {
    expect(judge(result)).toBe(verdict);
  });

  it('gets one verdict for a request, with any number and order of messages', () => {
    const results = fc.array(fc.constantFrom(...table.map(([, result]) => result)), { minLength: 1 });
    fc.assert(
      fc.property(results, (given) => {
        const ids = given.map((_, index) => String(index));
        const verdicts = new Set(given.map(judge));
        const strongest = (['accepts', 'account', 'answers', 'fails'] as const).find((each) =>
          verdicts.has(each),
        );
        const batch = given.map((result) => ({ ...result, request: 7 }));
        const expected = ids.filter((_, index) => judge(given[index] as SubmitResult) === strongest);
        expect(judgeRequests(batch, ids).map(({ verdict, subjects }) => ({ verdict, subjects }))).toEqual(
          strongest ? [{ verdict: strongest, subjects: expected }] : [],
        );
        const sent = given.filter((result) => judge(result) !== undefined);
        expect(judgeRequests(given, ids).map(({ verdict }) => verdict)).toEqual(sent.map(judge));
      }),
    );
  });
});
