import type { DocumentedApi, Operation } from './documented-api.js';
import { type Input, inputsOf, nameOf } from './inputs.js';

/** The inputs of an operation that are ids: in path, query or body, at any depth. */
export const idInputsOf = (operation: Operation, api: DocumentedApi): Input[] =>
  inputsOf(operation, api).filter(
    (input) =>
      input.in === 'path' ||
      (input.in !== 'header' &&
        (input.schema.format === 'uuid' || /(^|_)ids?$/.test(nameOf(input))) &&
        fitsUuid(input)),
  );

/** `sender_id` is not a UUID: it has at most eleven characters. */
const fitsUuid = ({ schema: { maxLength = Infinity } }: Input): boolean => maxLength >= 36;

/** The id of the record that an operation refers to: in the path, or `id` in the body. */
export const ownIdOf = (operation: Operation, api: DocumentedApi): Input | undefined =>
  idInputsOf(operation, api).find((input) => input.in === 'path' || input.steps.join('.') === 'id');

export const needsId = (operation: Operation, api: DocumentedApi): boolean =>
  ownIdOf(operation, api) !== undefined;
