import type { Validated } from '@gangan/contracts';
import type { Prisma } from '@gangan/database';
import { changesFrom } from './arguments.js';
import { CommandError } from './errors.js';
import type { Organisation } from './find-organisation.js';
import { StoredJson } from './print.js';
import type { AdminSession } from './session.js';

/** The settings of an organisation, by area: `otp`, `sms`. */
type Settings = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** An area of settings with rules of its own. */
export interface SettingsArea<T> {
  readonly name: 'otp' | 'opt_out' | 'sms';
  readonly parse: (plain: unknown) => Validated<T>;
}

/** The first update locks the row, so that no change of another command is lost. */
export async function changeSettings(
  session: AdminSession,
  { id, label }: Organisation,
  area: SettingsArea<unknown>['name'],
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

export async function readSettings<T>(
  session: AdminSession,
  { id }: Pick<Organisation, 'id'>,
  { name, parse }: SettingsArea<T>,
): Promise<T> {
  const database = await session.database();
  const { settings } = await database.organisation.findUniqueOrThrow({ where: { id } });
  return requireValid(
    parse((settings as Record<string, unknown>)[name]),
    'The stored settings are invalid: ',
  );
}

/**
 * Changes the settings that options name, such as `--help-text`; `default` resets one.
 * @returns all settings of the area
 */
export async function setSettings<T>(
  session: AdminSession,
  given: string,
  area: SettingsArea<T>,
  options: Readonly<Record<string, unknown>>,
): Promise<T> {
  const changes = changesFrom(options, 'setting', (option) =>
    option.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  );
  const organisation = await session.organisation(given);
  await changeSettings(session, organisation, area.name, (stored) => {
    const changed = Object.fromEntries(
      Object.entries({ ...stored, ...changes }).filter(([, value]) => value !== null),
    );
    requireValid(area.parse(changed));
    return changed;
  });
  return readSettings(session, organisation, area);
}

/** @throws CommandError with all faults */
function requireValid<T>(result: Validated<T>, prefix = ''): T {
  if (result.ok) return result.value;
  throw new CommandError(prefix + result.errors.map(({ message }) => message).join('; '));
}
