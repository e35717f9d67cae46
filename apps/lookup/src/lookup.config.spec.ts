import { readFileSync } from 'node:fs';
import { describeVariables } from '@gangan/runtime';
import { describe, expect, it } from '@jest/globals';
import { LookupConfig } from './lookup.config.js';

const page = readFileSync(new URL('../../../docs/operate/configuration.md', import.meta.url), 'utf8').replace(
  / +/g,
  ' ',
);

describe('docs/operate/configuration.md', () => {
  it.each(describeVariables(LookupConfig))('lists $name with its default and meaning', (row) => {
    const shown = ['', 'required'].includes(row.default) ? row.default : `\`${row.default}\``;
    expect(page).toContain(`| \`${row.name}\` | ${shown && `${shown} `}| ${row.meaning} |`);
  });
});
