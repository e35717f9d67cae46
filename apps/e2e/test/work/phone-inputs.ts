import type { DocumentedApi, Operation } from '../interface/documented-api.js';
import { type Input, inputsOf, valueAt } from '../interface/inputs.js';
import type { RequestParts } from '../interface/request-parts.js';

/** Inputs that may be phone numbers, but also other texts, by path. */
const otherInputs: Readonly<Record<string, readonly string[]>> = {
  '/inbox': ['number', 'sender'],
  '/simulator/inbound': ['to'],
};

const inputsWith = (operation: Operation, api: DocumentedApi, formats: readonly string[]): Input[] =>
  inputsOf(operation, api).filter(({ schema: { format = '' } }) => formats.includes(format));

/** The inputs of an operation that take one phone number. */
export const phoneInputsOf = (operation: Operation, api: DocumentedApi): Input[] => [
  ...inputsWith(operation, api, ['phone', 'nigerian-phone']),
  ...inputsOf(operation, api).filter(({ steps: [name = ''] }) => otherInputs[operation.path]?.includes(name)),
];

/** Whether an operation takes lists of phone numbers. */
export const takesPhoneLists = (operation: Operation, api: DocumentedApi): boolean =>
  inputsWith(operation, api, ['phones', 'recipient']).length > 0;

/** How many of these inputs a request has. */
export const phonesIn = (parts: RequestParts, operation: Operation, api: DocumentedApi): number =>
  phoneInputsOf(operation, api).filter((input) => valueAt(parts, input) != null).length;
