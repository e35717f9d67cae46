import type { DescribedInterface, Operation } from './described.js';
import { type Input, inputsOf, nameOf } from './inputs.js';

/** Where an operation takes the id of something: in its path, its query or its body, at any depth. */
export const idInputsOf = (operation: Operation, api: DescribedInterface): Input[] =>
  inputsOf(operation, api).filter(
    (input) =>
      input.in === 'path' ||
      (input.in !== 'header' &&
        (input.schema.format === 'uuid' || /(^|_)ids?$/.test(nameOf(input))) &&
        hasRoom(input)),
  );

/** A sender is called an id, too, and is no longer than eleven characters. */
const hasRoom = ({ schema: { maxLength = Infinity } }: Input): boolean => maxLength >= 36;

/** Of the one thing that an operation is about and that must be there: in the path, or the body's own `id`. */
export const ownIdOf = (operation: Operation, api: DescribedInterface): Input | undefined =>
  idInputsOf(operation, api).find((input) => input.in === 'path' || input.steps.join('.') === 'id');

export const needsId = (operation: Operation, api: DescribedInterface): boolean =>
  ownIdOf(operation, api) !== undefined;
