import {
  type DestinationSettings,
  type OptOutSettings,
  type OtpSettings,
  parseDestinationSettings,
  parseOptOutSettings,
  parseOtpSettings,
  type Validated,
} from '@gangan/contracts';
import type { Database, Prisma } from '@gangan/database';
import type { Access } from '../access.js';
import { change } from '../audit.js';
import { Refusal } from '../refusal.js';
import type { Organisation } from './find-organisation.js';

/** The settings of an organisation, by area: `otp`, `sms`. */
type Settings = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** An area of settings with rules of its own. */
export interface SettingsArea<T> {
  readonly name: 'otp' | 'opt_out' | 'sms';
  readonly action: string;
  readonly parse: (plain: unknown) => Validated<T>;
}

export const otpSettings: SettingsArea<OtpSettings> = {
  name: 'otp',
  action: 'otp set',
  parse: parseOtpSettings,
};

export const optOutSettings: SettingsArea<OptOutSettings> = {
  name: 'opt_out',
  action: 'optouts set',
  parse: parseOptOutSettings,
};

export const destinationSettings: SettingsArea<DestinationSettings> = {
  name: 'sms',
  action: 'messages set',
  parse: parseDestinationSettings,
};

/** The first update locks the row, so that no concurrent change is lost. */
export const changeSettings = (
  access: Access,
  { id, label }: Organisation,
  { name, action }: Pick<SettingsArea<unknown>, 'name' | 'action'>,
  changed: (settings: Settings[string] | undefined) => Settings[string],
): Promise<void> =>
  change(access, action, async ({ organisation }, log) => {
    const { settings } = await organisation.update({ where: { id }, data: { updatedAt: new Date() } });
    const { [name]: before, ...others } = settings as Settings;
    const after = changed(before);
    const data = { settings: { ...others, [name]: after } as Prisma.InputJsonObject };
    await organisation.update({ where: { id }, data });
    await log({ organisationId: id, target: label, before: { [name]: before }, after: { [name]: after } });
  });

export async function readSettings<T>(
  database: Database,
  { id }: Pick<Organisation, 'id'>,
  { name, parse }: SettingsArea<T>,
): Promise<T> {
  const { settings } = await database.organisation.findUniqueOrThrow({ where: { id } });
  return requireValid(
    parse((settings as Record<string, unknown>)[name]),
    'The stored settings are invalid: ',
  );
}

/**
 * @param changes a value of null resets a setting
 * @returns all settings of the area
 */
export async function setSettings<T>(
  access: Access,
  organisation: Organisation,
  area: SettingsArea<T>,
  changes: object,
): Promise<T> {
  await changeSettings(access, organisation, area, (stored) => {
    const changed = withChanges(stored, changes);
    requireValid(area.parse(changed));
    return changed;
  });
  return readSettings(access.database, organisation, area);
}

/** The settings after changes, of which null and undefined remove one. */
export const withChanges = (stored: object | undefined, changes: object): Settings[string] =>
  Object.fromEntries(
    Object.entries({ ...stored, ...changes }).filter(([, value]) => (value ?? undefined) !== undefined),
  );

/** @throws Refusal with all faults */
function requireValid<T>(result: Validated<T>, prefix = ''): T {
  if (result.ok) return result.value;
  throw new Refusal('invalid', prefix + result.errors.map(({ message }) => message).join('; '));
}
