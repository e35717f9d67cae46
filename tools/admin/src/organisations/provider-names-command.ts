import { Argument, type Command } from 'commander';
import type { OrganisationMode } from '@gangan/database';
import { changeSettings } from '../session/organisation-settings.js';
import { addCommand, type AdminSession } from '../session/session.js';

type Visibility = 'shown' | 'hidden';

export function addProviderNamesCommand(group: Command, session: AdminSession): void {
  const description = 'show or hide the names of providers in the attempts of GET /sms/{id}';
  addCommand(
    group,
    'provider-names <organisation>',
    description,
    ['acme/live shown'],
    'They are hidden by default, unless SHOW_PROVIDER_NAMES shows them to all organisations.',
  )
    .addArgument(new Argument('<visibility>').choices(['shown', 'hidden'] satisfies Visibility[]))
    .action(async (given: string, wanted: Visibility) => {
      const organisation = await session.liveOrganisation(given);
      await changeSettings(session, organisation, 'sms', (sms) => ({ ...sms, provider_names: wanted }));
      session.done(`${organisation.label}: names of providers are ${wanted}; effective within 10 s.`, {
        organisation: organisation.id,
        provider_names: wanted,
      });
    });
}

/** For `organisations show`. */
export function providerNamesOf({
  mode,
  settings,
}: {
  mode: OrganisationMode;
  settings: unknown;
}): Visibility {
  const { sms } = settings as { readonly sms?: { readonly provider_names?: Visibility } };
  return mode === 'test' ? 'shown' : (sms?.provider_names ?? 'hidden');
}
