/** One request to verify. */
export interface Try {
  /** Of the request: run twice, it counts once. */
  readonly id: string;
  readonly otpId: string;
  readonly organisationId: string;
  /** What is stored of the token if it is the right one. */
  readonly digests: readonly Buffer[];
  /** Wrong tries per recipient and hour; 0 for any number. */
  readonly cap: number;
}

/** Whom a try is counted for, besides its OTP. */
export type RecipientOf = (attempt: Try) => string | undefined;

/**
 * Parts tries into rounds, in their order, such that no round has two for one recipient: each round then decides on
 * what the one before it has written.
 */
export function roundsOf(tries: readonly Try[], recipientOf: RecipientOf): Try[][] {
  const rounds: Try[][] = [];
  const counts = new Map<string, number>();
  for (const attempt of tries) {
    const key = `${attempt.organisationId} ${recipientOf(attempt) ?? ''}`;
    const nth = counts.get(key) ?? 0;
    counts.set(key, nth + 1);
    const round = rounds[nth];
    if (round) round.push(attempt);
    else rounds.push([attempt]);
  }
  return rounds;
}
