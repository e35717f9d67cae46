import type { Organisation } from '../session/find-organisation.js';
import type { Row } from '../session/print.js';
import type { AdminSession } from '../session/session.js';

const names = {
  registeredSendersOnly: 'registered_senders_only',
  restrictedCallbacks: 'restricted_callbacks',
  fairKeys: 'fair_keys',
} as const;

/** Changes a rule that an organisation either has or not. @returns the result for scripts */
export async function setFlag(
  session: AdminSession,
  { id, label }: Organisation,
  flag: keyof typeof names,
  value: boolean,
): Promise<Row> {
  const database = await session.database();
  const name = names[flag];
  await database.$transaction(async (models) => {
    // Locks the row.
    const before = await models.organisation.update({ where: { id }, data: { updatedAt: new Date() } });
    await models.organisation.update({ where: { id }, data: { [flag]: value } });
    await session.audit(models, {
      organisationId: id,
      target: label,
      before: { [name]: before[flag] },
      after: { [name]: value },
    });
  });
  return { organisation: id, [name]: value };
}
