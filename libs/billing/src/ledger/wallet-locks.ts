import { command, isLockTimeout, type SharedStatement, sql, type SqlRunner } from '@gangan/database';

const lock = command(
  (organisationIds: readonly string[]) => sql`SELECT lock_wallets(${organisationIds}::uuid[])`,
);

/**
 * Locks the wallets of these organisations until the transaction ends. For a decision that depends on other rows than
 * the wallet (does this purchase have a duplicate?): lock, then read in a second statement, because a statement does
 * not see what was committed while it waited. Must be the first statement of its transaction that touches money.
 *
 * The rest of the transaction waits at most 200 ms for any lock, and avoids full scans.
 */
export async function lockWallets(transaction: SqlRunner, organisationIds: readonly string[]): Promise<void> {
  await transaction.run(lock, organisationIds);
}

/**
 * Wraps a shared statement that locks wallets, or other rows that `keyOf` names. If one of them stays locked for too
 * long, the groups run separately: the group with the locked row fails alone, and delays no other organisation.
 */
export const isolateLockedWallets =
  <M extends { readonly organisationId: string }, R>(
    run: SharedStatement<M, R>,
    keyOf: (member: M) => string = ({ organisationId }) => organisationId,
  ): SharedStatement<M, R> =>
  async (members) => {
    try {
      return await run(members);
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      const results = new Map<M, R | Error>();
      const groups = new Map<string, M[]>();
      for (const member of members) {
        const key = keyOf(member);
        groups.set(key, [...(groups.get(key) ?? []), member]);
      }
      await Promise.all(
        [...groups.values()].map(async (group) => {
          const found = await run(group).catch((failure: unknown) => group.map(() => failure as Error));
          for (const [index, member] of group.entries()) results.set(member, found[index] as R | Error);
        }),
      );
      return members.map((member) => results.get(member) as R | Error);
    }
  };
