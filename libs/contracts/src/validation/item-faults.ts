import type { Dto } from '@gangan/protocol';

/** What is wrong with a part of a field's value: `at` names the part, such as the place in a list. */
export interface ItemError {
  readonly at: string;
  readonly message: string;
  readonly type: string;
}

interface ItemRule {
  readonly find: (value: unknown) => readonly ItemError[];
  readonly onlyBesideOthers: boolean;
}

const declared = new WeakMap<object, Map<string, ItemRule>>();

/**
 * Reports parts of a value each by its own name. What is dear to find, and is found anyway by whoever does the work,
 * is looked for `onlyBesideOthers`: when the request is refused for something else, and all is to be told at once.
 */
export const ItemErrors =
  (find: (value: never) => readonly ItemError[], { onlyBesideOthers = false } = {}): PropertyDecorator =>
  (target, property) => {
    const fields = declared.get(target) ?? new Map<string, ItemRule>();
    const rule = { find: find as ItemRule['find'], onlyBesideOthers };
    declared.set(target, fields.set(String(property), rule));
  };

/** Own rules only: nobody inherits from a DTO that has some. */
export const itemRules = (dto: Dto<object>): Iterable<[field: string, rule: ItemRule]> =>
  declared.get(dto.prototype as object) ?? [];
