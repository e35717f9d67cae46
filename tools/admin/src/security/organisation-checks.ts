import { keyScopes } from '@gangan/protocol';
import { findKeys, labelOf } from '@gangan/management';
import { argumentOf, type Check, type Finding } from './finding.js';

const live = { mode: 'live' } as const;

/** Live organisations in which a rule is off that new ones have. */
const withoutRule =
  (
    flag: 'registeredSendersOnly' | 'restrictedCallbacks' | 'fairKeys',
    describe: (organisation: string) => Omit<Finding, 'who'>,
  ): Check =>
  async ({ database }) => {
    const organisations = await database.organisation.findMany({
      where: { ...live, [flag]: false },
      include: { account: true },
      orderBy: { id: 'asc' },
    });
    return organisations.map((organisation) => {
      const label = labelOf(organisation);
      return { who: label, ...describe(argumentOf({ id: organisation.id, label })) };
    });
  };

export const unrestrictedSenders = withoutRule('registeredSendersOnly', (organisation) => ({
  what: 'may use any sender',
  why: 'Its keys can send in the name of others.',
  mend: `pnpm admin senders add ${organisation} <sender>, then pnpm admin senders restrict ${organisation}`,
}));

export const unrestrictedCallbacks = withoutRule('restrictedCallbacks', (organisation) => ({
  what: 'callbacks may go to http URLs and to any port',
  why: 'Others can read callbacks on their way, or let them reach a server of another protocol.',
  mend: `pnpm admin callbacks restrict ${organisation}`,
}));

export const unfairKeys = withoutRule('fairKeys', (organisation) => ({
  what: 'keys share the rate freely',
  why: 'One key can use up the rate of all.',
  mend: `pnpm admin keys share ${organisation} fairly`,
}));

/** Keys that have every scope because none were named. */
export const keysWithAllScopes: Check = async ({ database }) => {
  const keys = await findKeys(database, { scopesNamed: false, organisation: live });
  return keys
    .filter(({ state, scopes }) => state === 'active' && keyScopes.every((scope) => scopes.includes(scope)))
    .map(({ id, prefix, name, organisation }) => ({
      who: organisation,
      what: `key ${prefix} (${name}) has all scopes, and none were named`,
      why: 'A stolen key can do everything, such as buy airtime.',
      mend: `pnpm admin keys scopes ${id} <scopes>, or all if it needs all of them`,
    }));
};
