import type { OutcomeRule } from '../../http/answer-settings.js';
import type { LookupOutcome } from '../../http/lookup/lookup-settings.js';
import type { LookupPreset } from '../preset.js';
import { nigerianNetworks } from './nigerian-networks.js';

/** The errors of Termii's error page that can concern a lookup. */
const outcomes: readonly OutcomeRule<LookupOutcome>[] = [
  { text: 'insufficient balance', status: '4xx', outcome: 'account' },
  { text: ['account is not active', 'not active on your account'], status: '4xx', outcome: 'account' },
  { text: 'temporarily unavailable', outcome: 'transient' },
  { status: 403, outcome: 'account' },
  { status: 404, outcome: 'account' },
  { status: 405, outcome: 'account' },
];

const common = { kind: 'http', domain: 'lookup', channels: [], secrets: ['api_key'] } as const;

/**
 * Whether a number is on the DND list. Every account has a base URL of its own: change `request.url` if it differs. The page
 * documents one status, `DND blacklisted`; what others mean is not known, so the registry decides then.
 */
export const termiiDnd: LookupPreset = {
  title: 'Termii (DND)',
  pages: ['https://developers.termii.com/search', 'https://developers.termii.com/error/'],
  ...common,
  settings: {
    request: {
      method: 'GET',
      url: 'https://v3.api.termii.com/api/check/dnd?api_key={secret.api_key}&phone_number={phone_digits}',
    },
    answer: { message: '/message' },
    outcomes,
    finding: {
      operator: [{ pointer: '/network_code', values: nigerianNetworks }, { pointer: '/network' }],
      dnd: { pointer: '/status', values: { 'DND blacklisted': true, '*': null } },
    },
  },
};

/** The network of a number, and whether it was ported. The page documents one line type, `Mobile`. */
export const termiiNumber: LookupPreset = {
  title: 'Termii (network and ported numbers)',
  pages: ['https://developers.termii.com/status', 'https://developers.termii.com/error/'],
  ...common,
  settings: {
    request: {
      method: 'GET',
      url: 'https://v3.api.termii.com/api/insight/number/query?api_key={secret.api_key}&phone_number={phone_digits}&country_code={country}',
    },
    answer: { message: '/message' },
    outcomes,
    finding: {
      operator: {
        pointer: '/result/0/operatorDetail/operatorName',
        values: { 'Airtel Nigeria': 'Airtel', 'MTN Nigeria': 'MTN', 'Glo Nigeria': 'Glo' },
      },
      country: { pointer: '/result/0/countryDetail/iso' },
      ported: { pointer: '/result/0/routeDetail/ported', values: { '0': false, '1': true } },
      lineType: { pointer: '/result/0/operatorDetail/lineType', values: { Mobile: 'mobile', '*': null } },
    },
  },
};
