import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Database, issueKey, rotateCallbackSecret } from '@gangan/database';
import { keyScopes } from '@gangan/protocol';
import { masterSealer } from '@gangan/sealing';
import { anOrganisation, type OrganisationOptions, type ReachableSystem } from '@gangan/testing';
import { beforeAll } from '@jest/globals';
import type { RunningSystem } from './running.js';

/** A billion naira, in kobo. */
const muchMoney = 100_000_000_000n;

export interface NewOrganisation {
  readonly id: string;
  /** A key with all scopes. */
  readonly key: string;
}

/** Creates an organisation with this balance in kobo. `name`: the name of its key. */
export async function newOrganisation(
  database: Database,
  name: string,
  money = 0n,
  { mode = 'test', ...options }: OrganisationOptions = {},
): Promise<NewOrganisation> {
  // At once: a test of another file may check the ledger of the whole database.
  const { id } = await database.transaction((transaction) =>
    anOrganisation(transaction, { mode, balanceKobo: money, ...options }),
  );
  const { key } = await issueKey(database, mode, { organisationId: id, name, scopes: keyScopes });
  return { id, key };
}

/** An organisation with much money for the tests of the surrounding `describe`. */
export function ownOrganisation({ database }: RunningSystem, name: string) {
  let organisation: NewOrganisation = { id: '', key: '' };
  beforeAll(async () => {
    organisation = await newOrganisation(database(), name, muchMoney, { defaultSender: 'Gangan' });
  });
  return { id: () => organisation.id, key: () => organisation.key };
}

/** Gives an organisation the secret that signs its callbacks, and returns it. */
export async function newCallbackSecret(
  system: ReachableSystem,
  database: Database,
  organisationId: string,
): Promise<string> {
  const sealer = masterSealer([(await readFile(join(system.folder, 'data-master.key'), 'utf8')).trim()]);
  return database.transaction((transaction) =>
    rotateCallbackSecret(transaction, sealer, organisationId, new Date()),
  );
}
