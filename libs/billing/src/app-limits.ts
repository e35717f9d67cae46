import type { AppError } from '@gangan/protocol';

/**
 * Checks members of a batch against limits of an app, and charges those that are within them. A member that the ledger
 * refuses uses up no limit, so members that were rejected because of it are checked once more. Call it in a transaction
 * that has locked the wallets.
 * @param check returns the error of each member, or `undefined`
 * @param spend charges the members and returns a result for each
 */
export async function spendWithinLimits<M, R>(
  members: readonly M[],
  check: (members: readonly M[]) => Promise<readonly (AppError | undefined)[]>,
  spend: (members: readonly M[]) => Promise<readonly (R | Error)[]>,
): Promise<(R | Error)[]> {
  const results = new Map<M, R | Error>();
  /** Returns the rejected members, and whether the ledger refused any. */
  const run = async (open: readonly M[]) => {
    const errors = await check(open);
    const accepted = open.filter((_, index) => !errors[index]);
    const spendings = await spend(accepted);
    for (const [index, error] of errors.entries()) if (error) results.set(open[index] as M, error);
    for (const [index, result] of spendings.entries()) results.set(accepted[index] as M, result);
    return {
      rejected: open.filter((_, index) => errors[index]),
      refused: spendings.some((result) => result instanceof Error),
    };
  };
  const { rejected, refused } = await run(members);
  if (refused && rejected.length > 0) await run(rejected);
  return members.map((member) => results.get(member) as R | Error);
}
