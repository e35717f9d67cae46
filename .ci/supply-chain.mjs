// Advisories (severity high or more) and licences of the installed packages: node .ci/supply-chain.mjs [--strict]
// If the advisories cannot be read, that is a warning, because a closed network must be able to build; with --strict, as
// before a release, it is a fault.
import { appendFileSync } from 'node:fs';
import process from 'node:process';
import { pnpm } from './pnpm.mjs';

/** Permissive licences only: what is shipped must stay under Apache-2.0. */
const allowed = new Set([
  ...[
    'MIT',
    'MIT-0',
    'Apache-2.0',
    'ISC',
    'BSD-2-Clause',
    'BSD-3-Clause',
    '0BSD',
    'BlueOak-1.0.0',
    'CC0-1.0',
  ],
  ...['CC-BY-4.0', 'Python-2.0', 'Unlicense', 'Zlib'],
]);

/** `MIT`, `(MIT OR CC0-1.0)`, `Apache-2.0 AND MIT`: one of the alternatives, and every part of it. */
export const isAllowed = (expression) =>
  expression
    .replace(/[()]/g, '')
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((licence) => allowed.has(licence.trim())));

export function licenceFaults(licences) {
  return Object.entries(licences)
    .filter(([licence]) => !isAllowed(licence))
    .flatMap(([licence, packages]) => packages.map(({ name }) => `${name} has the licence ${licence}`));
}

/** The advisories of severity high or critical; `undefined` if the answer is no report. */
export function advisoryFaults(output) {
  let report;
  try {
    report = JSON.parse(output);
  } catch {
    return undefined;
  }
  if (!report.metadata?.vulnerabilities) return undefined;
  return Object.values(report.advisories ?? {})
    .filter(({ severity }) => ['high', 'critical'].includes(severity))
    .map(({ module_name: name, severity, title, url }) => `${name}: ${title} (${severity}, ${url})`);
}

const unreadable = 'the advisories of the installed packages could not be read, so they were not checked';

/** What fails, and what is only reported. `advisories` is undefined if they could not be read. */
export function verdict(licences, advisories, isStrict) {
  const warnings = advisories === undefined && !isStrict ? [unreadable] : [];
  const faults = [...licences, ...(advisories ?? (isStrict ? [unreadable] : []))];
  return { faults, warnings };
}

function main(isStrict) {
  const licences = pnpm('licenses', 'list', '--json');
  if (licences.status !== 0) throw new Error(`pnpm licenses failed:\n${licences.stdout}${licences.stderr}`);
  const audit = pnpm('audit', '--json');
  const advisories = advisoryFaults(audit.stdout);
  if (advisories === undefined) {
    const reason = `${audit.stdout}${audit.stderr}`.trim().split('\n').slice(0, 4).join('\n');
    process.stderr.write(`${reason}\n`);
  }
  const { faults, warnings } = verdict(licenceFaults(JSON.parse(licences.stdout)), advisories, isStrict);
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  for (const warning of warnings) {
    process.stderr.write(`WARNING: ${warning}\n`);
    // `.ci/run` repeats it at its end.
    if (process.env.CI_REMARKS) appendFileSync(process.env.CI_REMARKS, `WARNING: ${warning}\n`);
  }
  const checked = advisories === undefined ? 'licences' : 'advisories and licences';
  process.stdout.write(`checked the ${checked} of the installed packages: ${faults.length} faults\n`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}

if (process.argv[1] === import.meta.filename) main(process.argv.includes('--strict'));
