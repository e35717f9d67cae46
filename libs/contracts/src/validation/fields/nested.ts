import type { Dto, FieldError } from '@gangan/protocol';
import { IsArray, IsObject } from 'class-validator';
import type { ContractSettings } from '../../settings.js';
import { FieldRegistry } from './field-registry.js';

export const nestedFields = new FieldRegistry<Dto<object>>();

export const Nested =
  (type: Dto<object>): PropertyDecorator =>
  (target, property) => {
    nestedFields.declare(target, property, type);
    IsObject()(target, property);
  };

export const NestedList =
  (type: Dto<object>): PropertyDecorator =>
  (target, property) => {
    nestedFields.declare(target, property, type);
    IsArray()(target, property);
  };

/** An error in a part of a field's value; `at` names the part, such as the index in a list. */
export interface ItemError extends Omit<FieldError, 'field'> {
  readonly at: string;
}

interface ItemRule {
  readonly find: (value: unknown, settings: ContractSettings) => readonly ItemError[];
  readonly onlyWithOtherErrors: boolean;
}

export const itemRules = new FieldRegistry<ItemRule>();

/** Reports each invalid part of a value. `onlyWithOtherErrors`: for costly checks that the worker repeats anyway. */
export const ItemErrors =
  (
    find: (value: never, settings: ContractSettings) => readonly ItemError[],
    { onlyWithOtherErrors = false } = {},
  ): PropertyDecorator =>
  (target, property) => {
    itemRules.declare(target, property, { find: find as ItemRule['find'], onlyWithOtherErrors });
  };
