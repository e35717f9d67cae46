import type { ContactColumnType, ContactOperator } from '@gangan/contracts';
import { choicesOf, comparedForm } from '../../src/cells/compared-form.js';

export interface ModelCell {
  readonly written: string;
  readonly compared: string;
}

/** Character by character: `toLowerCase` alone looks at neighbours. */
const fold = (text: string): string =>
  Array.from(text, (character) => character.toUpperCase().toLowerCase()).join('');

const bytes = (one: string, other: string): number =>
  Math.sign(Buffer.compare(Buffer.from(fold(one)), Buffer.from(fold(other))));

/** Numbers of a model are small. */
const order = (type: ContactColumnType, one: string, other: string): number =>
  type === 'NUMBER' ? Math.sign(Number(one) - Number(other)) : bytes(one, other);

/** Whether a cell matches, as the documentation says it. */
export function matches(
  type: ContactColumnType,
  operator: ContactOperator,
  cell: ModelCell | undefined,
  value: string,
): boolean {
  const form = (text: string): string => comparedForm(type, text.trim()) ?? text;
  const parts = value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const seen = (holds: (text: string) => boolean): boolean =>
    cell !== undefined && (holds(fold(cell.written)) || holds(fold(cell.compared)));
  const equals = cell !== undefined && fold(cell.compared) === fold(form(value));
  const ordered = (other: string): number => (cell ? order(type, cell.compared, form(other)) : NaN);
  switch (operator) {
    case 'contain':
      return seen((text) => text.includes(fold(value)));
    case 'not_contain':
      return !seen((text) => text.includes(fold(value)));
    case 'start_with':
      return seen((text) => text.startsWith(fold(value)));
    case 'end_with':
      return seen((text) => text.endsWith(fold(value)));
    case 'equal':
      return equals;
    case 'not_equal':
      return !equals;
    case 'in':
      return type === 'MULTI SELECT'
        ? cell !== undefined &&
            choicesOf(cell.compared).some((one) => parts.some((part) => fold(part) === fold(one)))
        : cell !== undefined && parts.some((part) => fold(cell.compared) === fold(form(part)));
    case 'is_empty':
      return cell === undefined;
    case 'is_not_empty':
      return cell !== undefined;
    case 'greater_than':
    case 'after':
      return ordered(value) > 0;
    case 'less_than':
    case 'before':
      return ordered(value) < 0;
    case 'between':
      return ordered(parts[0] ?? '') >= 0 && ordered(parts[1] ?? '') <= 0;
  }
}
