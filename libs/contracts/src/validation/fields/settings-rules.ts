import { ValidateBy } from 'class-validator';
import type { ContractSettings } from '../../settings.js';
import { FieldRegistry } from './field-registry.js';

/** A rule that depends on the settings. class-validator cannot pass them, so `validate` calls these rules itself. */
interface SettingsRule {
  /** The name of the constraint: it decides the `type` of the error and the keyword of the JSON Schema. */
  readonly name: string;
  /** Arguments for the JSON Schema; a function is called with the settings. */
  readonly constraints?: readonly unknown[];
  /** Returns the end of a message that starts with the name of the field; `undefined` if the value is valid. */
  readonly validate: (value: unknown, settings: ContractSettings, dto: object) => string | undefined;
}

export const settingsRules = new FieldRegistry<SettingsRule>();

export const ValidateWithSettings =
  (rule: SettingsRule): PropertyDecorator =>
  (target, property) => {
    settingsRules.declare(target, property, rule);
    // Declares the constraint for the JSON Schema; always passes here.
    ValidateBy({
      name: rule.name,
      ...(rule.constraints && { constraints: [...rule.constraints] }),
      validator: { validate: () => true },
    })(target, property);
  };

/** Replaces arguments that depend on the settings by their values. */
export const resolveConstraints = (
  constraints: readonly unknown[] | undefined,
  settings: ContractSettings,
): readonly unknown[] =>
  (constraints ?? []).map((value) =>
    typeof value === 'function' ? (value as (settings: ContractSettings) => unknown)(settings) : value,
  );
