import { readFileSync } from 'node:fs';
import { describeVariables } from '@gangan/runtime';
import { describe, expect, it } from '@jest/globals';
import { MessagingConfig } from './messaging.config.js';

const page = readFileSync(new URL('../../../docs/operate/configuration.md', import.meta.url), 'utf8').replace(
  / +/g,
  ' ',
);

describe('docs/operate/configuration.md', () => {
  it.each(describeVariables(MessagingConfig))('lists $name with its default and its meaning', (row) => {
    const shown = ['', 'required'].includes(row.default) ? row.default : `\`${row.default}\``;
    expect(page).toContain(`| \`${row.name}\` | ${shown && `${shown} `}| ${row.meaning} |`);
  });
});
