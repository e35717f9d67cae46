import type { Answer, Inquiry, Reason } from './message-provider.js';

const plainCode = /^[A-Za-z0-9_.:-]{1,32}$/;

/**
 * For OTPs: a carrier may repeat the text in its words, and with it the token. Only its code is kept, where it looks
 * like one.
 */
export const withoutWords = ({ code }: Reason): Reason => ({
  code: plainCode.test(code) ? code : 'unspecified',
  message: 'What a provider says of OTPs is not kept',
});

export const discreetAnswer = <T extends Answer | Inquiry>(answer: T): T =>
  'reason' in answer ? { ...answer, reason: withoutWords(answer.reason) } : answer;

/** All that may be logged of what was thrown over an OTP. */
export function discreetError(error: unknown): { readonly type: string; readonly code?: string } {
  if (!(error instanceof Error)) return { type: typeof error };
  const code = 'code' in error ? String(error.code) : '';
  return { type: error.name, ...(plainCode.test(code) && { code }) };
}
