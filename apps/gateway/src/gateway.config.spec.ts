import { readFileSync } from 'node:fs';
import { describeVariables } from '@gangan/runtime';
import { describe, expect, it } from '@jest/globals';
import { GatewayConfig } from './gateway.config.js';

const page = readFileSync(new URL('../../../docs/operate/configuration.md', import.meta.url), 'utf8').replace(
  / +/g,
  ' ',
);

/** The gateway reads every variable that the other apps read, and its own. */
describe('docs/operate/configuration.md', () => {
  it.each(describeVariables(GatewayConfig))('describes $name, its default and its meaning', (row) => {
    const shown = ['', 'required'].includes(row.default) ? row.default : `\`${row.default}\``;
    expect(page).toContain(`| \`${row.name}\` | ${shown && `${shown} `}| ${row.meaning} |`);
  });
});
