import { FieldRegistry } from './field-registry.js';

export const otherNames = new FieldRegistry<string>();

/** What other APIs call the field: while it is absent, this name counts as a typo of it. */
export const AlsoNamed =
  (name: string): PropertyDecorator =>
  (target, property) => {
    otherNames.declare(target, property, name);
  };
