import type { Database, Prisma } from '@gangan/database';

/** The settings of an organisation, by area: `otp`, `sms`. */
type Settings = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** The first update locks the row, so that no change of another command is lost. */
export const changeSettings = (
  database: Database,
  id: string,
  change: (settings: Settings) => Settings,
): Promise<void> =>
  database.$transaction(async ({ organisation }) => {
    const { settings } = await organisation.update({ where: { id }, data: { updatedAt: new Date() } });
    const changed = change(settings as Settings) as Prisma.InputJsonObject;
    await organisation.update({ where: { id }, data: { settings: changed } });
  });
