import type { CreateTemplateRequest } from '@gangan/contracts';
import { type FieldError, invalidRequest } from '@gangan/protocol';
import { placeholdersOf } from '../text/rendering.js';
import { channelIsFixed, neededForWhatsApp, notThePlaceholders, onlyForWhatsApp } from './templates.errors.js';
import type { TemplateFields } from './templates.repository.js';

/** What its carrier needs to know besides the text. */
const carrierFields = ['provider_name', 'language'] as const;

/** @throws AppError 400 for what the fields say only together */
export function fieldsOf(request: CreateTemplateRequest): TemplateFields {
  const { name, body, channel = 'sms', provider_name: providerName, language, variables } = request;
  const faults = channel === 'whatsapp' ? whatsAppFaults(request) : smsFaults(request);
  if (faults.length > 0) throw invalidRequest(faults);
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
 * What becomes of a template when some fields change. Variables that were in the order of appearance stay so; an order
 * of its own is the carrier's, which nobody can guess for other placeholders.
 * @throws AppError 400
 */
export function changedFields(known: TemplateFields, change: Partial<CreateTemplateRequest>): TemplateFields {
  if (change.channel !== undefined && change.channel !== known.channel) throw channelIsFixed();
  const asAppearing = sameOrder(known.variables, placeholdersOf(known.body));
  const kept = {
    name: known.name,
    channel: known.channel,
    body: known.body,
    ...(known.providerName !== null && { provider_name: known.providerName }),
    ...(known.language !== null && { language: known.language }),
    ...(known.channel === 'whatsapp' && !asAppearing && { variables: [...known.variables] }),
  };
  return fieldsOf({ ...kept, ...change });
}

function whatsAppFaults(request: CreateTemplateRequest): FieldError[] {
  const { body, variables } = request;
  const absent = carrierFields.filter((field) => request[field] === undefined);
  const wrong = variables && !sameOrder([...variables].sort(), placeholdersOf(body).sort());
  return [...absent.map(neededForWhatsApp), ...(wrong ? [notThePlaceholders()] : [])];
}

const smsFaults = (request: CreateTemplateRequest): FieldError[] => [
  ...carrierFields.filter((field) => request[field] !== undefined).map(onlyForWhatsApp),
  ...((request.variables?.length ?? 0) > 0 ? [onlyForWhatsApp('variables')] : []),
];

const sameOrder = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((name, place) => name === others[place]);
