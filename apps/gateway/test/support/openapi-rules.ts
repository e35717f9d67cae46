import type { createConfig } from '@redocly/openapi-core';

/** The linter's recommended rules, all as errors, and further ones. */
export const strictRules: NonNullable<Parameters<typeof createConfig>[0]> = {
  extends: ['recommended-strict'],
  rules: {
    'component-name-unique': 'error',
    'operation-description': 'error',
    'operation-singular-tag': 'error',
    'operation-tag-defined': 'error',
    'parameter-description': 'error',
    'path-params-defined': 'error',
    'scalar-property-missing-example': 'error',
    'spec-example-values': 'error',
    'response-contains-header': {
      severity: 'error',
      names: { '2xx': ['X-Request-Id'], '4xx': ['X-Request-Id'], '5xx': ['X-Request-Id'] },
    },
  },
};
