import type { createConfig } from '@redocly/openapi-core';

/** All rules of the linter except matters of taste. */
export const strictRules: NonNullable<Parameters<typeof createConfig>[0]> = {
  extends: ['recommended-strict'],
  rules: {
    // The server is a local gateway.
    'no-server-example.com': 'off',
    // Conditions refer to properties outside of them; `undescribedInExamples` checks the examples instead.
    'no-required-schema-properties-undefined': 'off',
    'no-invalid-media-type-examples': { severity: 'error', allowAdditionalProperties: true },
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
