import { type SettingsArea, setSettings } from '@gangan/management';
import { changesFrom } from './arguments.js';
import type { AdminSession } from './session.js';

/**
 * Changes the settings that options name, such as `--help-text`; `default` resets one.
 * @returns all settings of the area
 */
export async function setOptions<T>(
  session: AdminSession,
  given: string,
  area: SettingsArea<T>,
  options: Readonly<Record<string, unknown>>,
): Promise<T> {
  const changes = changesFrom(options, 'setting', (option) =>
    option.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  );
  const organisation = await session.organisation(given);
  return setSettings(await session.access(), organisation, area, changes);
}
