import type { createConfig } from '@redocly/openapi-core';

/** All that the linter can object to, but for matters of taste. */
export const strictRules: NonNullable<Parameters<typeof createConfig>[0]> = {
  extends: ['recommended-strict'],
  rules: {
    // The address of a gateway that somebody has just started.
    'no-server-example.com': 'off',
    // What fields ask of one another names fields that stand outside of the condition; `strangers` looks at examples.
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
    'tags-alphabetical': 'error',
    'response-contains-header': {
      severity: 'error',
      names: { '2xx': ['X-Request-Id'], '4xx': ['X-Request-Id'], '5xx': ['X-Request-Id'] },
    },
  },
};
