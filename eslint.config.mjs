import js from '@eslint/js';
import nx from '@nx/eslint-plugin';
import tseslint from 'typescript-eslint';

const libs = ['protocol', 'contracts', 'queue', 'database', 'billing', 'runtime'];

/** Which room may look into which. What is not listed is forbidden. */
const arrows = {
  protocol: [],
  contracts: ['protocol'],
  queue: ['protocol'],
  database: ['protocol'],
  billing: ['protocol', 'database'],
  runtime: ['protocol', 'contracts', 'queue', 'database'],
  app: libs,
  workshop: [...libs, 'workshop'],
};

/** The packages that only one room (or two) may name, by layer. The workshop measures and mends, so it may. */
const owners = {
  bullmq: ['queue', 'workshop'],
  ioredis: ['queue', 'workshop'],
  prisma: ['database'],
  '@prisma/*': ['database'],
  pg: ['queue', 'database', 'workshop'],
};

const bannedIn = (layer) =>
  Object.entries(owners)
    .filter(([, layers]) => !layers.includes(layer))
    .map(([name]) => name);

/** In tests every room may use the workshop besides, and may look at itself from outside. */
const boundaries = ({ inTests }) => [
  'error',
  {
    enforceBuildableLibDependency: false,
    allowCircularSelfDependency: inTests,
    depConstraints: Object.entries(arrows).map(([layer, allowed]) => ({
      sourceTag: `layer:${layer}`,
      onlyDependOnLibsWithTags: (inTests ? [...allowed, 'workshop'] : allowed).map(
        (target) => `layer:${target}`,
      ),
      bannedExternalImports: bannedIn(layer),
    })),
  },
];

const tests = ['**/test/**', '**/*.spec.ts'];

export default tseslint.config(
  { ignores: ['**/dist', '**/generated', '**/node_modules'] },
  js.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  {
    plugins: { '@nx': nx },
    languageOptions: { parserOptions: { projectService: { allowDefaultProject: ['*.mjs'] } } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@nx/enforce-module-boundaries': boundaries({ inTests: false }),
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
    },
  },
  { files: tests, rules: { '@nx/enforce-module-boundaries': boundaries({ inTests: true }) } },
  {
    files: ['**/*.mjs'],
    extends: [tseslint.configs.disableTypeChecked],
    languageOptions: { globals: { console: 'readonly', process: 'readonly', URL: 'readonly' } },
    rules: { '@typescript-eslint/no-extraneous-class': 'off' },
  },
);
