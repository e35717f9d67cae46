import { toNaira } from '@gangan/billing';
import { createAccount, type Models } from '@gangan/database';
import type { DataSealer } from '@gangan/sealing';
import type { Access } from '../access.js';
import { change } from '../audit.js';
import { Refusal } from '../refusal.js';
import { labelOf, type Organisation } from './find-organisation.js';

export interface NewAccount {
  readonly name: string;
  /** The default sender of both organisations. */
  readonly sender: string;
}

/** Creates a customer with both organisations. Only the result has their callback secrets in readable form. */
export const addAccount = (access: Access, sealer: DataSealer, { name, sender }: NewAccount) =>
  change(access, 'organisations create', async (models, log) => {
    await assertNameFree(models, name);
    const created = await createAccount(models, sealer, { name, sender });
    for (const { id, mode } of created.organisations) {
      const after = { account: created.id, default_sender: sender };
      await log({ organisationId: id, target: labelOf({ account: { name }, mode }), after });
    }
    return created;
  });

export const renameAccount = (access: Access, { accountId, account }: Organisation, name: string) =>
  change(access, 'organisations rename', async (models, log) => {
    await assertNameFree(models, name, accountId);
    await models.account.update({ where: { id: accountId }, data: { name } });
    for (const { id, mode } of await models.organisation.findMany({ where: { accountId } })) {
      const target = labelOf({ account: { name: account }, mode });
      await log({ organisationId: id, target, before: { name: account }, after: { name } });
    }
  });

/** Concurrent calls wait until this transaction ends, and then find the name taken. */
async function assertNameFree(models: Models, wanted: string, ownId?: string): Promise<void> {
  await models.$executeRaw`LOCK TABLE account IN SHARE ROW EXCLUSIVE MODE`;
  const found = await models.$queryRaw<unknown[]>`
    SELECT id FROM account WHERE lower(name) = lower(${wanted}) AND id IS DISTINCT FROM ${ownId ?? null}::uuid LIMIT 1`;
  if (found.length > 0)
    throw new Refusal('conflict', `An account is already called ${wanted}: choose another name.`);
}

export type Status = 'active' | 'suspended';

/**
 * Suspends or activates organisations of one account. If the account is suspended, the account becomes active and the
 * other organisation is suspended instead.
 */
export function setStatus(
  access: Access,
  organisations: readonly [Organisation, ...Organisation[]],
  status: Status,
): Promise<void> {
  const suspended = { id: organisations[0].accountId, status: 'suspended' } as const;
  const updatedAt = new Date();
  const action = status === 'suspended' ? 'organisations suspend' : 'organisations activate';
  return change(access, action, async (models, log) => {
    const data = { status: 'suspended', updatedAt } as const;
    await models.organisation.updateMany({ where: { account: suspended }, data });
    await models.account.updateMany({ where: suspended, data: { status: 'active' } });
    for (const { id, label } of organisations) {
      // Locks the row.
      const before = await models.organisation.update({ where: { id }, data: { updatedAt } });
      await models.organisation.update({ where: { id }, data: { status } });
      await log({
        organisationId: id,
        target: label,
        before: { status: before.status },
        after: { status },
      });
    }
  });
}

/** The name of each rule that an organisation either has or not, and the actions that set and remove it. */
const rules = {
  registeredSendersOnly: ['registered_senders_only', 'senders restrict', 'senders free'],
  restrictedCallbacks: ['restricted_callbacks', 'callbacks restrict', 'callbacks free'],
  fairKeys: ['fair_keys', 'keys share', 'keys share'],
} as const;

export function setRule(
  access: Access,
  { id, label }: Organisation,
  rule: keyof typeof rules,
  value: boolean,
): Promise<void> {
  const [name, setting, removing] = rules[rule];
  return change(access, value ? setting : removing, async (models, log) => {
    // Locks the row.
    const before = await models.organisation.update({ where: { id }, data: { updatedAt: new Date() } });
    await models.organisation.update({ where: { id }, data: { [rule]: value } });
    const after = { [name]: value };
    await log({ organisationId: id, target: label, before: { [name]: before[rule] }, after });
  });
}

/** Changes the balance below which the endpoints of an organisation get `balance.low`; null is none. */
export const setLowBalance = (access: Access, { id, label }: Organisation, kobo: bigint | null) =>
  change(access, 'organisations low-balance', async (models, log) => {
    const where = { organisationId_kind: { organisationId: id, kind: 'wallet' as const } };
    const wallet = await models.ledgerAccount.findUniqueOrThrow({ where });
    await models.ledgerAccount.update({ where, data: { lowBalanceKobo: kobo } });
    const [before, after] = [wallet.lowBalanceKobo, kobo].map((amount) => ({
      low_balance: amount === null ? 'off' : toNaira(amount),
    }));
    await log({ organisationId: id, target: label, before, after });
  });
