import { parseUrl } from '@gangan/protocol';
import { costByCategorySchema, type CostSettings, findCostFaults } from '../cost/cost-settings.js';
import { findRuleFaults, type OutcomeRule, outcomeRules, outcomes } from '../http/answer-settings.js';
import { object, Shape, text } from '../http/schema.js';
import type { ErrorRule } from './error-codes.js';

/** Settings of the kind `whatsapp`: one phone number at the Cloud API. */
export interface WhatsAppSettings {
  readonly phoneNumberId: string | number;
  /** The id of the WhatsApp Business Account, which has the templates. */
  readonly accountId?: string | number;
  readonly apiVersion?: string;
  /** The URL of the Graph API. */
  readonly url?: string;
  /** Whether WhatsApp shows a preview of the first link in a text. */
  readonly previewUrl?: boolean;
  /** What further codes mean, or codes of the table in another way. */
  readonly errors?: readonly ErrorRule[];
  /** Read before the table and `errors`, with any condition: what an HTTP status means, for example. */
  readonly firstOutcomes?: readonly OutcomeRule[];
  /** What WhatsApp charges for delivered messages, by category. */
  readonly cost?: CostSettings;
  readonly timeoutMs?: number;
  /** Disables the guard against private and local addresses. */
  readonly allowPrivate?: boolean;
}

/** `app_secret` signs the requests of WhatsApp; `verify_token` is repeated in the first one. */
export const whatsAppSecrets = ['access_token', 'app_secret', 'verify_token'] as const;

/** A number in YAML or on the command line; a text if it is too long to be exact. */
const id = {
  type: ['string', 'integer'],
  pattern: '^[0-9]{1,32}$',
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
};
const shape = new Shape<WhatsAppSettings>(
  object(['phoneNumberId'], {
    phoneNumberId: id,
    accountId: id,
    apiVersion: { type: 'string', pattern: '^v[0-9]{1,3}\\.[0-9]{1,2}$' },
    url: text,
    previewUrl: { type: 'boolean' },
    errors: {
      type: 'array',
      maxItems: 200,
      items: object(['code', 'outcome'], {
        code: { type: 'array', minItems: 1, items: { type: 'string', pattern: '^[0-9]{1,10}$' } },
        outcome: { enum: outcomes.filter((outcome) => outcome !== 'accepted' && outcome !== 'quiet') },
        reason: { type: 'string', pattern: '^[a-z][a-z0-9_]{0,63}$' },
      }),
    },
    firstOutcomes: outcomeRules(outcomes),
    cost: costByCategorySchema,
    timeoutMs: { type: 'integer', minimum: 100, maximum: 60_000 },
    allowPrivate: { type: 'boolean' },
  }),
);

/** All faults at once. @param secrets the names of the given secrets */
export function findWhatsAppFaults(settings: unknown, secrets: readonly string[]): string[] {
  if (!shape.fits(settings)) return shape.faultsOf(settings);
  const known: readonly string[] = whatsAppSecrets;
  return [
    ...known.filter((name) => !secrets.includes(name)).map((name) => `the secret ${name} is not given`),
    ...secrets
      .filter((name) => !known.includes(name))
      .map((name) => `the secret ${name} is given, but is not used`),
    ...urlFaults(settings),
    ...findRuleFaults('settings.firstOutcomes', settings.firstOutcomes ?? []),
    ...(settings.cost ? findCostFaults(settings.cost) : []),
  ];
}

function urlFaults({ url, allowPrivate = false }: WhatsAppSettings): string[] {
  if (url === undefined) return [];
  const parsed = parseUrl(url);
  if (!parsed || url.includes('{')) return ['settings.url is not a URL'];
  return parsed.protocol === 'https:' || allowPrivate
    ? []
    : ['settings.url must begin with https://, unless allowPrivate is true'];
}
