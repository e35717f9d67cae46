import type { SubmitResult } from './message-provider.js';

/** Codes that mean that the provider itself is not available. */
const unavailable: ReadonlySet<string> = new Set(['provider_unreachable', 'provider_unavailable']);
/** Codes of submissions that did not leave this process. */
const notSent: ReadonlySet<string> = new Set(['not_submitted', 'invalid_request']);

/** For metrics, and for the limits of a provider. */
export const outcomeOf = (result: SubmitResult): SubmitResult['kind'] | 'throttled' | 'account' =>
  (result.kind === 'transient' ? result.cause : undefined) ?? result.kind;

/** What a result says about the provider; undefined if it says nothing. An answer about the message shows that it works. */
export function judge(result: SubmitResult): 'works' | 'fails' | undefined {
  switch (outcomeOf(result)) {
    case 'accepted':
    case 'rejected':
    case 'failed':
    case 'throttled':
      return 'works';
    case 'unknown':
      return 'fails';
    case 'account':
      return undefined;
    case 'transient': {
      const { code = '' } = 'reason' in result ? (result.reason ?? {}) : {};
      if (notSent.has(code)) return undefined;
      return unavailable.has(code) ? 'fails' : 'works';
    }
  }
}
