import { networks, parsePhone } from '@gangan/contracts';

export const registries = ['ported', 'dnd'] as const;
export type Registry = (typeof registries)[number];

export interface Entry {
  readonly phone: string;
  /** Absent in the registry of those who want no promotion. */
  readonly operator?: string;
}

const longestOperator = 64;

/** What one line of the file says, or why it says nothing. */
export function readLine(registry: Registry, [phone = '', operator = '']: readonly string[]): Entry | string {
  const number = parsePhone(phone);
  if (!number) return 'the first column is no phone number';
  if (registry === 'dnd') return { phone: number.e164 };
  if (operator === '') return 'the second column, the operator, is missing';
  if (operator.length > longestOperator) return `the operator has more than ${longestOperator} characters`;
  const spelt = networks.find((network) => network.toLowerCase() === operator.toLowerCase());
  return { phone: number.e164, operator: spelt ?? operator };
}

/** A first line that names the columns. */
export const isHeading = ([first = '']: readonly string[]): boolean => /^(phone|msisdn|number)/i.test(first);
