import { type Database, RetentionKind } from '@gangan/database';
import type { Access } from '../access.js';
import { change } from '../audit.js';
import type { VariableReader } from '../limits/limits.js';
import type { Organisation } from '../organisations/find-organisation.js';
import { Refusal } from '../refusal.js';

interface KindRules {
  /** The variable of the apps, its default, and how many days a value of it has. */
  readonly variable: string;
  readonly fallback: string;
  readonly minDays: number;
}

/** The limits of wrong tokens count for 24 hours, so OTPs are kept for at least two days. */
const rules: Readonly<Record<RetentionKind, KindRules>> = {
  messages: { variable: 'MESSAGES_KEPT_DAYS', fallback: '90', minDays: 1 },
  otps: { variable: 'OTP_KEPT_DAYS', fallback: '30', minDays: 2 },
  callbacks: { variable: 'CALLBACK_KEPT_DAYS', fallback: '30', minDays: 1 },
  imports: { variable: 'CONTACT_IMPORT_KEPT_FOR', fallback: '720h', minDays: 1 },
};

/** How long data of an organisation is kept, and why. */
export async function effectiveRetention(
  database: Database,
  organisationId: string,
  variableOf: VariableReader,
) {
  const own = await database.organisationRetention.findMany({ where: { organisationId } });
  return Object.values(RetentionKind).map((kind) => {
    const configured = configuredDays(variableOf, kind);
    const { days } = own.find((row) => row.kind === kind) ?? {};
    const isOwn = days !== undefined && days < configured;
    return { kind, days: isOwn ? days : configured, source: isOwn ? 'organisation' : rules[kind].variable };
  });
}

/** @throws Refusal if an organisation cannot have this time */
export function checkRetention(kind: RetentionKind, days: number, variableOf: VariableReader): void {
  const { minDays, variable } = rules[kind];
  const configured = configuredDays(variableOf, kind);
  if (days < minDays) throw new Refusal('invalid', `${kind} are kept for at least ${minDays} days.`);
  if (days > configured)
    throw new Refusal(
      'invalid',
      `All organisations keep ${kind} for ${configured} days (${variable}): an organisation can only have less. Raise ${variable} of the apps and of this command first.`,
    );
}

/** Changes how many days data of an organisation is kept, after `checkRetention`; undefined: as long as that of others. */
export const setRetention = (
  access: Access,
  { id: organisationId, label }: Organisation,
  kind: RetentionKind,
  days: number | undefined,
) =>
  change(access, days === undefined ? 'retention unset' : 'retention set', async (models, log) => {
    const key = { kind_organisationId: { kind, organisationId } };
    const before = await models.organisationRetention.findUnique({ where: key });
    if (days === before?.days) return;
    if (days === undefined) await models.organisationRetention.delete({ where: key });
    else {
      const create = { kind, organisationId, days };
      await models.organisationRetention.upsert({ where: key, create, update: { days } });
    }
    await log({
      organisationId,
      target: `${label} ${kind}`,
      before: { days: before?.days },
      after: { days },
    });
  });

/** Days, or a duration in hours; anything else is for the apps to refuse. */
function configuredDays(variableOf: VariableReader, kind: RetentionKind): number {
  const { variable, fallback } = rules[kind];
  const given = variableOf(variable) ?? fallback;
  const [, count = '', unit = ''] = /^(\d+)(s|m|h|d)?$/.exec(given) ?? [];
  const unitsPerDay: Readonly<Record<string, number>> = { '': 1, d: 1, h: 24, m: 1_440, s: 86_400 };
  const days = Math.ceil(Number(count) / (unitsPerDay[unit] ?? 1));
  if (count !== '' && days > 0) return days;
  throw new Refusal('invalid', `${variable} is ${given}: give this command the value of the apps.`);
}
