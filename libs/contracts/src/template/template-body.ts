import { IsString } from 'class-validator';
import { combine, MaxLength, rule, textOrEmpty } from '../validation/fields/decorators.js';

const maxTemplateLength = 1_600;

const placeholder = /\{\{ *\w+ *\}\}/g;

/** A brace must be part of a `{{placeholder}}`: a single brace is probably a typo that every recipient would see. */
export const templatePattern = /^(?:[^{}]|\{\{ *\w+ *\}\})*$/;

/** Returns what is wrong with the placeholders of a text; `undefined` if they are valid. */
export function placeholderError(body: string): string | undefined {
  const rest = body.replace(placeholder, (found) => ' '.repeat(found.length));
  const at = rest.search(/[{}]/);
  if (at < 0) return undefined;
  return `has a brace at character ${at + 1} that is not part of a placeholder: write {{name}}, with letters, digits and underscores`;
}

const isTemplateBody = rule(
  'isTemplateBody',
  (value) => typeof value === 'string' && placeholderError(value) === undefined,
  (value) => placeholderError(textOrEmpty(value)) ?? 'must be a text',
  [templatePattern.source],
);

/** A text with placeholders such as `{{name}}`. */
export const IsTemplateBody = (): PropertyDecorator =>
  combine(IsString(), MaxLength(maxTemplateLength), isTemplateBody());
