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

/** Whether an operation is about one thing that must be there: its id is in the path, or is the body's own `id`. */
export const needsId = (operation: Operation, api: DescribedInterface): boolean =>
  idInputsOf(operation, api).some((input) => input.in === 'path' || input.steps.join('.') === 'id');
