import { readFileSync } from 'node:fs';

export interface Block {
  /** Commands, or what is printed. */
  readonly kind: 'sh' | 'text';
  /** The terminal in which a program keeps running; absent for the terminal of the reader. */
  readonly terminal: string | undefined;
  readonly content: string;
}

/** The commands of a page, and what they print, in their order. */
export function blocksOf(page: string): Block[] {
  const text = readFileSync(new URL(`../../../../${page}`, import.meta.url), 'utf8');
  return [...text.matchAll(/^```(sh|text)(?: terminal=(\w+))?\n(.*?)^```$/gms)].map(
    ([, kind, terminal, content]) => ({ kind: kind as Block['kind'], terminal, content: content ?? '' }),
  );
}

/** A pattern for a printed text, in which `…` stands for anything. */
export const shapeOf = (text: string): RegExp =>
  new RegExp(
    text
      .trim()
      .split('…')
      .map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&'))
      .join('[^]*?'),
  );
