import type { CreateTemplateRequest } from '@gangan/contracts';
import type { FieldError } from '@gangan/protocol';
import { placeholdersOf } from '../text/rendering.js';
import {
  channelIsFixed,
  requiredForWhatsApp,
  variablesMismatch,
  onlyForWhatsApp,
} from './templates.errors.js';
import type { TemplateFields } from './templates.repository.js';

/** The fields that identify a template at its carrier. */
const carrierFields = ['provider_name', 'language'] as const;

/** The fields of a template, or everything that is wrong with them. */
export type ReadFields = TemplateFields | { readonly faults: readonly FieldError[] };

export function readFields(request: CreateTemplateRequest, found: readonly FieldError[] = []): ReadFields {
  const { name, body, channel = 'sms', provider_name: providerName, language, variables } = request;
  const faults = [...found, ...(channel === 'whatsapp' ? whatsAppFaults(request) : smsFaults(request))];
  if (faults.length > 0) return { faults };
  return {
    name,
    channel,
    body,
    providerName: providerName ?? null,
    language: language ?? null,
    variables: channel === 'whatsapp' ? (variables ?? placeholdersOf(body)) : [],
  };
}

/**
 * Variables in the order of appearance follow the new body. Any other order is the carrier's, and must be given again if
 * the placeholders change.
 */
export function changedFields(known: TemplateFields, given: Partial<CreateTemplateRequest>): ReadFields {
  const { channel = known.channel, ...change } = given;
  const isInOrder = sameOrder(known.variables, placeholdersOf(known.body));
  const kept = {
    name: known.name,
    channel: known.channel,
    body: known.body,
    ...(known.providerName !== null && { provider_name: known.providerName }),
    ...(known.language !== null && { language: known.language }),
    ...(known.channel === 'whatsapp' && !isInOrder && { variables: [...known.variables] }),
  };
  return readFields({ ...kept, ...change }, channel === known.channel ? [] : [channelIsFixed()]);
}

function whatsAppFaults(request: CreateTemplateRequest): FieldError[] {
  const { body, variables } = request;
  const absent = carrierFields.filter((field) => request[field] === undefined);
  const wrong = variables && !sameOrder([...variables].sort(), placeholdersOf(body).sort());
  return [...absent.map(requiredForWhatsApp), ...(wrong ? [variablesMismatch()] : [])];
}

const smsFaults = (request: CreateTemplateRequest): FieldError[] => [
  ...carrierFields.filter((field) => request[field] !== undefined).map(onlyForWhatsApp),
  ...((request.variables?.length ?? 0) > 0 ? [onlyForWhatsApp('variables')] : []),
];

const sameOrder = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((name, index) => name === others[index]);
