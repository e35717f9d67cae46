import js from '@eslint/js';
import nx from '@nx/eslint-plugin';
import tseslint from 'typescript-eslint';

/** Which room may look into which. What is not listed is forbidden. */
const arrows = {
  app: ['contracts', 'platform', 'runtime', 'protocol'],
  contracts: ['protocol'],
  platform: ['protocol', 'platform'],
  runtime: ['platform', 'contracts', 'protocol'],
  protocol: [],
  workshop: ['workshop', 'runtime', 'platform', 'contracts', 'protocol'],
};

export default tseslint.config(
  { ignores: ['**/dist', '**/generated', '**/node_modules'] },
  js.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  {
    plugins: { '@nx': nx },
    languageOptions: { parserOptions: { projectService: { allowDefaultProject: ['*.mjs'] } } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@nx/enforce-module-boundaries': [
        'error',
        {
          enforceBuildableLibDependency: false,
          depConstraints: Object.entries(arrows).map(([layer, allowed]) => ({
            sourceTag: `layer:${layer}`,
            onlyDependOnLibsWithTags: allowed.map((target) => `layer:${target}`),
          })),
        },
      ],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
    },
  },
  { files: ['**/*.mjs'], extends: [tseslint.configs.disableTypeChecked] },
);
