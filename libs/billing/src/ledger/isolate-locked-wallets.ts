import { isLockTimeout, type SharedStatement } from '@gangan/database';

/**
 * For a shared statement that locks wallets, or other rows that `keyOf` names. When one of them stays locked for too
 * long, the organisations are run each on its own: the one with the locked wallet fails alone, and holds no strangers.
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
      const groups = groupsOf(members, keyOf);
      const answers = new Map<M, R | Error>();
      await Promise.all(
        groups.map(async (group) => {
          for (const [place, answer] of (await alone(run, group)).entries()) {
            answers.set(group[place] as M, answer);
          }
        }),
      );
      return members.map((member) => answers.get(member) as R | Error);
    }
  };

async function alone<M, R>(run: SharedStatement<M, R>, group: readonly M[]): Promise<readonly (R | Error)[]> {
  try {
    return await run(group);
  } catch (error) {
    return group.map(() => error as Error);
  }
}

function groupsOf<M>(members: readonly M[], keyOf: (member: M) => string): M[][] {
  const groups = new Map<string, M[]>();
  for (const member of members) {
    const group = groups.get(keyOf(member));
    if (group) group.push(member);
    else groups.set(keyOf(member), [member]);
  }
  return [...groups.values()];
}
