import type { Prisma } from '@gangan/database';
import type { Organisation } from './find-organisation.js';
import { StoredJson } from './print.js';
import type { AdminSession } from './session.js';

/** The settings of an organisation, by area: `otp`, `sms`. */
type Settings = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** The first update locks the row, so that no change of another command is lost. */
export async function changeSettings(
  session: AdminSession,
  { id, label }: Organisation,
  area: 'otp' | 'sms',
  change: (settings: Settings[string] | undefined) => Settings[string],
): Promise<void> {
  const database = await session.database();
  await database.$transaction(async (models) => {
    const { organisation } = models;
    const { settings } = await organisation.update({ where: { id }, data: { updatedAt: new Date() } });
    const { [area]: before, ...others } = settings as Settings;
    const after = change(before);
    const changed = { ...others, [area]: after } as Prisma.InputJsonObject;
    await organisation.update({ where: { id }, data: { settings: changed } });
    await session.audit(models, {
      organisationId: id,
      target: label,
      before: { [area]: before && new StoredJson(before) },
      after: { [area]: new StoredJson(after) },
    });
  });
}
