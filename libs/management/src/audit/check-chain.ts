import type { Database, SqlRunner } from '@gangan/database';
import { nilUuid } from '@gangan/protocol';
import { type AuditChain, auditChains, findUnlinked, hashAt, hashOf, linksOf } from './audit-chain.js';

/** The last entry of a chain, as it was at some time. */
export interface AuditHead {
  /** Null: of the entries without an organisation. */
  readonly organisationId: string | null;
  readonly number: bigint;
  /** In hex. */
  readonly hash: string;
}

export type AuditFinding = {
  readonly rule: 'changed' | 'removed' | 'added' | 'head';
  readonly organisation: string | null;
  /** The place in the chain; undefined for an entry outside of it. */
  readonly number: number | undefined;
  readonly message: string;
};

export interface AuditCheck {
  readonly chains: number;
  readonly entries: number;
  /** Heads that were compared; older ones than the anchor cannot be. */
  readonly heads: number;
  readonly findings: readonly AuditFinding[];
}

/** Compares every entry of the audit log with its chain, and the chains with heads that were kept elsewhere. */
export const checkAudit = (database: Database, heads: readonly AuditHead[]): Promise<AuditCheck> =>
  database.transaction(
    async (transaction) => {
      const chains = await auditChains(transaction);
      const findings: AuditFinding[] = [];
      let entries = 0;
      for (const chain of chains) entries += await checkChain(transaction, chain, findings);
      for (const { id, organisationId: organisation } of await transaction.run(findUnlinked)) {
        const message = `the entry ${id} was added outside its chain`;
        findings.push({ rule: 'added', organisation, number: undefined, message });
      }
      const compared = await compareHeads(transaction, chains, heads, findings);
      return { chains: chains.length, entries, heads: compared, findings };
    },
    // One snapshot: entries that are added meanwhile are left out with their links.
    ['SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY'],
  );

/** @returns the number of its entries */
async function checkChain(
  transaction: SqlRunner,
  chain: AuditChain,
  findings: AuditFinding[],
): Promise<number> {
  let [number, hash, entries] = [chain.anchorNumber, chain.anchorHash, 0];
  let isAnchorExplained = chain.anchorNumber === 0n;
  const add = (rule: AuditFinding['rule'], at: bigint, message: string): void => {
    findings.push({ rule, organisation: chain.organisationId, number: Number(at), message });
  };
  const removed = (first: bigint, last: bigint): void => {
    const which = first === last ? `the entry ${first}` : `the entries ${first} to ${last}`;
    add('removed', first, `${which} of the chain cannot be found`);
  };
  for await (const { number: at, hash: own, entryId, fields } of linksOf(transaction, chain)) {
    if (at > number + 1n) removed(number + 1n, at - 1n);
    if (entryId === null) removed(at, at);
    // After a gap the hash before it is not known.
    else if (at === number + 1n && !hashOf(hash, fields).equals(own))
      add(
        'changed',
        at,
        `the entry ${entryId} is not what its hash says: it was changed, or replaces another`,
      );
    isAnchorExplained ||= anchorOf(fields) === Number(chain.anchorNumber);
    [number, hash, entries] = [at, own, entries + 1];
  }
  if (!isAnchorExplained)
    add(
      'removed',
      chain.anchorNumber,
      `the chain begins after the entry ${chain.anchorNumber}, and no \`audit prune\` has removed what was before`,
    );
  if (number < chain.number) removed(number + 1n, chain.number);
  else if (number > chain.number) add('added', number, `the chain ends at ${chain.number}, not at ${number}`);
  else if (!hash.equals(chain.hash))
    add('changed', number, 'the last entry is not the one that ends the chain');
  return entries;
}

/** The anchor that an entry of `audit prune` names; operators can add entries with any values. */
function anchorOf([, , , , action, , , , after]: readonly (string | null)[]): unknown {
  if (action !== 'audit prune') return undefined;
  return (JSON.parse(after ?? 'null') as { readonly anchor?: unknown } | null)?.anchor;
}

/** @returns how many heads were compared */
async function compareHeads(
  transaction: SqlRunner,
  chains: readonly AuditChain[],
  heads: readonly AuditHead[],
  findings: AuditFinding[],
): Promise<number> {
  const chainOf = new Map(chains.map((chain) => [chain.id, chain]));
  let compared = 0;
  for (const { organisationId: organisation, number, hash } of heads) {
    const chain = chainOf.get(organisation ?? nilUuid);
    if (chain && number < chain.anchorNumber) continue;
    compared += 1;
    const found = chain && (await hashAt(transaction, chain, number));
    if (found?.toString('hex') === hash) continue;
    const message = found
      ? `the entry ${number} is not the one of the given head: the chain was computed again`
      : `the entry ${number} of the given head does not exist: the chain ends at ${chain?.number ?? 0}`;
    findings.push({ rule: 'head', organisation, number: Number(number), message });
  }
  return compared;
}
