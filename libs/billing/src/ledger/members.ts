/** What money moves for, and whose money it is. */
export interface Subject {
  /** The message, OTP, delivery, purchase or payment: per kind of transaction, money moves for it once. */
  readonly subjectId: string;
  readonly organisationId: string;
}

export interface Member extends Subject {
  /** Never negative. What costs nothing succeeds without an entry. */
  readonly kobo: bigint;
  readonly note?: string;
}

/** The first of each subject: the same one twice in a batch is one. */
export const distinct = <M extends Subject>(members: readonly M[]): M[] =>
  [...new Map(members.toReversed().map((member) => [member.subjectId, member])).values()].reverse();

/** For the locks of a statement. */
export const organisationsOf = (members: readonly Subject[]): string[] => [
  ...new Set(members.map(({ organisationId }) => organisationId)),
];
