import { type Channel, command, sql } from '@gangan/database';
import { newId } from '@gangan/protocol';
import type { Access } from '../access.js';
import { audit } from '../audit.js';
import type { Organisation } from '../organisations/find-organisation.js';

const insertOptOuts = command(
  (organisationId: string, channel: Channel, phones: readonly string[]) => sql`
    INSERT INTO opt_out (id, organisation_id, channel, phone, source)
    SELECT given.id, ${organisationId}::uuid, ${channel}::channel, given.phone, 'import'
    FROM unnest(${phones.map(() => newId())}::uuid[], ${phones}::text[]) AS given (id, phone)
    ON CONFLICT DO NOTHING`,
);

export interface OptOutBatch {
  readonly channel: Channel;
  /** The name of the file that they are from. */
  readonly file: string;
  readonly phones: readonly string[];
}

/** Stores some thousand numbers, in one order, so that nothing else waits for long. @returns how many are new */
export const importOptOuts = (
  { database, principal }: Access,
  { id, label }: Organisation,
  { channel, file, phones }: OptOutBatch,
): Promise<number> =>
  database.transaction(async (transaction) => {
    const added = await transaction.run(insertOptOuts, id, channel, phones.toSorted());
    const after = { channel, file, numbers: phones.length, added };
    await audit(transaction, principal, 'optouts import', { organisationId: id, target: label, after });
    return added;
  });
