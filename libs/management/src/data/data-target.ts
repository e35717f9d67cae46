import type { ParsedPhone } from '@gangan/contracts';
import { type Database, type Models, sql, statement, t } from '@gangan/database';
import { masked } from '../messages/masked.js';
import type { Organisation } from '../organisations/find-organisation.js';
import { effectiveStatus } from '../organisations/organisation-details.js';
import { Refusal } from '../refusal.js';
import { noPatterns, patternsOf } from './search/number-pattern.js';
import type { Scope } from './search/scope.js';

export interface DataRequest {
  /** Without it, the data of all numbers of the organisation. */
  readonly phone: ParsedPhone | undefined;
  /** Without it, the data in all organisations, and what belongs to none. */
  readonly organisation: Organisation | undefined;
}

/** Whose data is exported or erased. */
export interface DataTarget extends DataRequest {
  /** What operators call it. The audit log has it, too. */
  readonly name: string;
  readonly scopes: readonly Scope[];
}

const listIds = statement({ id: t.uuid }, () => sql`SELECT id FROM organisation ORDER BY id`);

/**
 * @param region the country of numbers without a country code
 * @throws Refusal unless there is a number, or a suspended organisation
 */
export async function dataTarget(
  database: Database,
  { phone, organisation }: DataRequest,
  region: string | undefined,
): Promise<DataTarget> {
  if (phone) {
    const organisations = organisation ? [organisation] : await database.run(listIds);
    const patterns = patternsOf(phone, region);
    const scopes = organisations.map(({ id }) => ({ organisationId: id, phone: phone.e164, patterns }));
    const name = `${masked(phone.e164)}${organisation ? ` in ${organisation.label}` : ''}`;
    return { phone, organisation, name, scopes };
  }
  if (!organisation) throw new Refusal('invalid', 'Name a phone number or an organisation.');
  await requireSuspended(database, organisation);
  const { id, label } = organisation;
  const scopes = [{ organisationId: id, phone: null, patterns: noPatterns }];
  return { phone, organisation, name: label, scopes };
}

/** @throws Refusal unless the organisation or its account is suspended */
export async function requireSuspended(models: Models, { id, label }: Organisation): Promise<void> {
  const found = await models.organisation.findUniqueOrThrow({ where: { id }, include: { account: true } });
  if (effectiveStatus(found) === 'suspended') return;
  const options = { next: 'suspend_organisation', subject: label } as const;
  throw new Refusal('conflict', `${label} is active: suspend it first`, options);
}
