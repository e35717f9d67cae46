/**
 * What becomes of a claim when its request has been answered.
 * - `keep`: the answer is final; it is kept and given again.
 * - `forget`: nothing was done, so the key is free again, for another body too.
 * - `hand_back`: nobody works on it now, but something may have been done: a repetition starts at once, with the same
 *   operation id, so that it meets whatever the first one left.
 * - `hold`: the work may still be under way. The lease keeps repetitions out until it must have ended, and then lets
 *   one in with the same operation id.
 */
export type Fate = 'keep' | 'forget' | 'hand_back' | 'hold';

const finalRefusals = new Set([402, 404, 409]);

export function fateOf(status: number, outcomeUnknown: boolean, attempt: number): Fate {
  if ((status >= 200 && status < 300) || finalRefusals.has(status)) return 'keep';
  if (outcomeUnknown) return 'hold';
  // A refusal says that this attempt did nothing; what an earlier one did is as unknown as before.
  return saysNothingWasDone(status) && attempt === 1 ? 'forget' : 'hand_back';
}

/** A 500 does not: the error may have come after the commit. */
const saysNothingWasDone = (status: number): boolean => (status >= 400 && status < 500) || status === 503;
