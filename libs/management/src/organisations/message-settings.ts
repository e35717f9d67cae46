import { findEndlessWith, formatQuietHours, type MessageCategory, parseQuietHours } from '@gangan/contracts';
import type { Access } from '../access.js';
import { Refusal } from '../refusal.js';
import { type Organisation, requireLive } from './find-organisation.js';
import { changeSettings, withChanges } from './settings.js';

/** As they are stored; what is absent has its default. */
export interface MessageSettings {
  /** Of messages that name none. */
  readonly default_category?: MessageCategory;
  /** Whether `GET /sms/{id}` names providers. */
  readonly provider_names?: 'shown' | 'hidden';
  /** Such as `22:00-07:00 Africa/Lagos`; promotional messages wait for their end. */
  readonly quiet_hours?: string;
  /** Promotional SMS do not wait for the end of the quiet hours of a country. */
  readonly national_quiet_hours?: 'ignored';
  /** Why they need not. */
  readonly national_quiet_hours_note?: string;
}

type Setting = 'default_category' | 'provider_names' | 'quiet_hours' | 'national_quiet_hours';

export const messageSettingsOf = (settings: unknown): MessageSettings =>
  (settings as { readonly sms?: MessageSettings }).sms ?? {};

/** @param changes a value of undefined resets a setting */
export async function setMessageSettings(
  access: Access,
  organisation: Organisation,
  setting: Setting,
  changes: { readonly [Name in keyof MessageSettings]: MessageSettings[Name] | undefined },
): Promise<void> {
  if (setting === 'provider_names') requireLive(organisation);
  if (setting === 'national_quiet_hours' && organisation.mode === 'test')
    throw new Refusal(
      'conflict',
      `${organisation.label} is a test organisation: no hours of a country apply.`,
    );
  const action = `organisations ${setting.replaceAll('_', '-')}`;
  await changeSettings(access, organisation, { name: 'sms', action }, (stored) => {
    const changed = withChanges(stored, changes);
    if (setting.endsWith('quiet_hours')) checkQuietHours(organisation, changed);
    return changed;
  });
}

/** @throws Refusal if the hours leave no time at which a promotional SMS is sent */
function checkQuietHours({ mode }: Organisation, sms: MessageSettings): void {
  const own = parseQuietHours(sms.quiet_hours ?? '');
  if (!own || mode === 'test' || sms.national_quiet_hours === 'ignored') return;
  const endless = findEndlessWith(own);
  if (endless)
    throw new Refusal(
      'conflict',
      `With ${formatQuietHours(own)}, promotional SMS to a country with the quiet hours ${formatQuietHours(endless)} would never be sent: choose other hours.`,
    );
}
