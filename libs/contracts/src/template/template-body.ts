import { IsString, ValidateBy } from 'class-validator';
import { givenText } from '../validation/given-text.js';
import { MaxLength } from '../validation/max-length.js';

export const maxTemplateLength = 1_600;

const placeholder = /\{\{ *\w+ *\}\}/g;

/**
 * In a template a brace is always part of a `{{placeholder}}`: one that stands alone is a placeholder that somebody
 * mistyped, and would be read by every recipient.
 */
export const templatePattern = /^(?:[^{}]|\{\{ *\w+ *\}\})*$/;

/** What is wrong with the placeholders of a text, and where; nothing when all is well. */
export function placeholderError(body: string): string | undefined {
  const rest = body.replace(placeholder, (found) => ' '.repeat(found.length));
  const at = rest.search(/[{}]/);
  if (at < 0) return undefined;
  return `has a brace at character ${at + 1} that belongs to no placeholder: write {{name}}, with letters, digits and underscores`;
}

const isTemplateBody = ValidateBy({
  name: 'isTemplateBody',
  validator: {
    validate: (value: unknown) => typeof value === 'string' && placeholderError(value) === undefined,
    defaultMessage: (args) => `$property ${placeholderError(givenText(args?.value)) ?? 'must be a text'}`,
  },
});

/** A text in which `{{name}}` stands for what differs from recipient to recipient. */
export const IsTemplateBody = (): PropertyDecorator => (target, property) => {
  for (const rule of [isTemplateBody, MaxLength(maxTemplateLength), IsString()]) rule(target, property);
};
