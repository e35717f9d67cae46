import { type Network, networks, type ParsedPhone } from '@gangan/contracts';
import { shareStatement, type Sql, sql, type SqlRunner, statement, t } from '@gangan/database';
import { isNigerian, networkOfRange } from './network-prefixes.js';

/** The operator that a number was ported to; only finished imports count, and the newest decides. @param phone an expression */
export const portedTo = (phone: Sql): Sql => sql`
  (SELECT ported_number.operator FROM ported_number JOIN registry_import ON registry_import.id = ported_number.import_id
   WHERE ported_number.phone = ${phone} AND registry_import.state = 'active' ORDER BY registry_import.id DESC LIMIT 1)`;

const findPorted = statement(
  { phone: t.text, operator: t.nullable(t.text) },
  (phones: readonly string[]) => sql`
    SELECT wanted.phone, ${portedTo(sql`wanted.phone`)} AS operator FROM unnest(${phones}::text[]) AS wanted (phone)`,
);

export type PortedNumbers = ReadonlyMap<string, string>;

/** Reads the registry of ported numbers. Calls of a batch share one statement. */
export const portedNumberReader = (
  database: SqlRunner,
): ((phones: readonly string[]) => Promise<PortedNumbers>) =>
  shareStatement(
    async (calls: readonly (readonly string[])[]) => {
      const rows = await database.run(findPorted, [...new Set(calls.flat())]);
      const ported = new Map(
        rows.flatMap(({ phone, operator }) => (operator === null ? [] : [[phone, operator] as const])),
      );
      return calls.map(() => ported);
    },
    { readOnly: true },
  );

/** The network of a Nigerian number: the one that it was ported to, otherwise that of its range. */
export function operatorOf(phone: ParsedPhone, ported: string | null): Network | undefined {
  if (ported === null || !isNigerian(phone)) return networkOfRange(phone);
  return networks.find((network) => network.toLowerCase() === ported.toLowerCase());
}
